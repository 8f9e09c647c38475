import type { BoundParameter } from '@fanion/oql';

/**
 * Parameters of a compiled query in the form of the store's client. In OQL a list of 64-bit integers is text, since
 * JSON cannot represent them, and the client would quote each one.
 */
export function boundParameters(params: Readonly<Record<string, BoundParameter>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).map(([name, { type, value }]) => [
      name,
      type === 'Array(Int64)' && Array.isArray(value) ? value.map(BigInt) : value,
    ]),
  );
}
