import type { BoundParameter } from '@fanion/oql';

/**
 * Parameters of a compiled query as the store's client takes them. A list of 64-bit integers is text in OQL, since JSON could
 * not hold it, and the client would quote each of them.
 */
export function boundParameters(params: Readonly<Record<string, BoundParameter>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).map(([name, { type, value }]) => [
      name,
      type === 'Array(Int64)' && Array.isArray(value) ? value.map(BigInt) : value,
    ]),
  );
}
