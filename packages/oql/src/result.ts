import type { OqlType } from './check/types.ts';
import type { Value } from './check/value.ts';
import type { Sql } from './sql/sql.ts';
import { shortFraction } from './syntax/literals.ts';

export interface ResultColumn {
  readonly name: string;
  readonly type: OqlType;
}

export type ResultValue =
  | string
  | number
  | boolean
  | null
  | readonly ResultValue[]
  | { readonly [key: string]: ResultValue };

/** What a column is in the statement's output; `any` is given as text. */
export function outputOf(value: Value): Sql {
  return value.sql;
}

/** How an answer names a column's type: an attribute of any type, and one that was always null, come as text. */
export function outputType(type: OqlType): OqlType {
  return type === 'any' || type === 'null' ? 'string' : type;
}

/**
 * A row of ClickHouse's JSONCompact formats as it stands in an answer: timestamps in RFC 3339 with as many digits as they
 * need, durations as nanoseconds and sizes as bytes, whole numbers as JSON numbers, or as text where JavaScript could not
 * hold them; NaN and infinities are null.
 */
export function decodeRow(columns: readonly ResultColumn[], row: readonly unknown[]): ResultValue[] {
  return columns.map(({ type }, i) => decodeValue(type, row[i]));
}

function decodeValue(type: OqlType, value: unknown): ResultValue {
  if (value === null || value === undefined) return null;
  switch (type) {
    case 'timestamp':
      return decodeTime(String(value));
    case 'int':
    case 'duration':
    case 'bytes':
      return decodeWhole(value);
    case 'float':
      return decodeFloat(value);
    case 'bool':
      return value === true || value === 1 || value === '1' || value === 'true';
    case 'map':
      return decodeMap(value);
    case 'array':
      return Array.isArray(value) ? value.map(plain) : plain(value);
    default:
      return typeof value === 'string' ? value : plain(value);
  }
}

/** `2026-11-19 14:53:20.120000000` as `2026-11-19T14:53:20.120Z`; the store may be set to write ISO 8601 itself. */
function decodeTime(text: string): string {
  const [whole = '', fraction = ''] = text.replace(/Z$/, '').split('.');
  return `${whole.replace(' ', 'T')}${shortFraction(fraction.padEnd(9, '0').slice(0, 9))}Z`;
}

function decodeWhole(value: unknown): ResultValue {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  return typeof value === 'string' && /^-?\d+$/.test(value) ? value : null;
}

function decodeFloat(value: unknown): number | null {
  const number = typeof value === 'number' ? value : Number(value);
  return Number.isFinite(number) ? number : null;
}

/** The attributes of a row are maps of each type side by side; the last one holds lists and maps as JSON text. */
function decodeMap(value: unknown): ResultValue {
  if (!Array.isArray(value)) return plain(value);
  const [strings, ints, floats, bools, nested] = value;
  return {
    ...entries(strings, plain),
    ...entries(ints, decodeWhole),
    ...entries(floats, decodeFloat),
    ...entries(bools, (bool) => bool === true || bool === 1),
    ...entries(nested, (text) => (typeof text === 'string' ? parsed(text) : plain(text))),
  };
}

function entries(map: unknown, decode: (value: unknown) => ResultValue): { [key: string]: ResultValue } {
  if (typeof map !== 'object' || map === null) return {};
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, decode(value)]));
}

function parsed(text: string): ResultValue {
  try {
    return plain(JSON.parse(text));
  } catch {
    // It is what was sent; an answer is not the place to refuse it.
    return text;
  }
}

function plain(value: unknown): ResultValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object') return entries(value, plain);
  return null;
}
