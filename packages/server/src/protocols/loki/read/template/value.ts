/** A point in time, and the zone in which it is written. */
export interface Time {
  readonly kind: 'time';
  readonly ns: bigint;
  readonly zone: string;
}

/** A value of a Go template: whole numbers are bigints, floats are numbers; maps and lists come from JSON. */
export type Value = string | bigint | number | boolean | null | undefined | Time | Value[] | { [key: string]: Value };

/** An error of one line. */
export class TemplateError extends Error {}

export function isTime(value: Value): value is Time {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && value.kind === 'time' && 'ns' in value;
}

/** Go's `%v`, but for times. */
export function plainText(value: Value, timeText: (time: Time) => string): string {
  if (value === undefined || value === null) return '<no value>';
  if (typeof value === 'number') return floatText(value);
  if (typeof value !== 'object') return String(value);
  if (isTime(value)) return timeText(value);
  if (Array.isArray(value)) return `[${value.map((one) => plainText(one, timeText)).join(' ')}]`;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, one]) => `${key}:${plainText(one, timeText)}`).join(' ')}]`;
}

export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-4 || size >= 1e21) ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** Whether `if` takes it for true: anything but zero, empty and false. */
export function isTrue(value: Value): boolean {
  if (typeof value === 'object' && value !== null) {
    if (isTime(value)) return true;
    return Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0;
  }
  return Boolean(value);
}

/** A value as a float, like `cast.ToFloat64` of Go's `spf13/cast`. Other values are 0. */
export function toFloat(value: Value): number {
  if (typeof value === 'bigint' || typeof value === 'number') return Number(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string' || !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value)) return 0;
  return Number(value);
}

/** A value as a whole number of 64 bits, like `cast.ToInt64` of Go's `spf13/cast`. Other values are 0. */
export function toInt(value: Value): bigint {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value);
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt.asIntN(64, BigInt(Math.trunc(value))) : 0n;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value !== 'string' || !/^[+-]?\d{1,19}(\.0*)?$/.test(value)) return 0n;
  return BigInt.asIntN(64, BigInt(value.replace(/^\+|\.0*$/g, '')));
}
