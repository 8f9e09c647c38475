import { integerText } from './check/integers.ts';
import { carried } from './check/tagged.ts';
import type { OqlType } from './check/types.ts';
import type { Value } from './check/value.ts';
import type { Sql } from './sql/sql.ts';
import { shortFraction } from './syntax/literals.ts';

export interface ResultColumn {
  readonly name: string;
  /** `any`: each value has the type that was sent. */
  readonly type: OqlType;
  /** The element type of an array whose elements are not strings. */
  readonly elements?: OqlType;
}

export type ResultValue =
  | string
  | number
  | boolean
  | null
  | readonly ResultValue[]
  | { readonly [key: string]: ResultValue };

/** The SQL of a column in the output of a statement whose rows `decodeRow` gets. */
export function answerOf(value: Value): Sql {
  return value.sent?.() ?? value.answer ?? integerText(value) ?? outputOf(value);
}

/** The SQL of a column in the output of a statement that is a table of another one. */
export function outputOf(value: Value): Sql {
  return carried(value);
}

/** The name of a column's type in an answer: a column that is always null is called a string. */
export function outputType(type: OqlType): OqlType {
  return type === 'null' ? 'string' : type;
}

/**
 * Converts a row of ClickHouse's JSONCompact formats to the form in an answer: timestamps in RFC 3339 with as many digits as
 * needed, durations as nanoseconds, sizes as bytes, whole numbers as JSON numbers, or as text if JavaScript cannot
 * represent them exactly (also where a float was sent as one), and floats without a JSON form as the texts `NaN`, `Infinity` and `-Infinity`.
 */
export function decodeRow(columns: readonly ResultColumn[], row: readonly unknown[]): ResultValue[] {
  return columns.map(({ type, elements }, i) => decodeValue(type, row[i], elements));
}

function decodeValue(type: OqlType, value: unknown, elements?: OqlType): ResultValue {
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
      if (!Array.isArray(value)) return plain(value);
      return value.map((element) => (elements ? decodeValue(elements, element) : plain(element)));
    case 'any':
      return typeof value === 'string' ? decodeTagged(value) : plain(value);
    default:
      return typeof value === 'string' ? value : plain(value);
  }
}

/** `2026-11-19 14:53:20.120000000` as `2026-11-19T14:53:20.120Z`; the store may be configured to write ISO 8601 itself. */
function decodeTime(text: string): string {
  const [whole = '', fraction = ''] = text.replace(/Z$/, '').split('.');
  return `${whole.replace(' ', 'T')}${shortFraction(fraction.padEnd(9, '0').slice(0, 9))}Z`;
}

function decodeWhole(value: unknown): ResultValue {
  if (typeof value === 'number') return decodeFloat(value);
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  return typeof value === 'string' && /^-?\d+$/.test(value) ? value : decodeFloat(value);
}

const notFinite: Readonly<Record<string, string>> = { nan: 'NaN', '-nan': 'NaN', inf: 'Infinity', '-inf': '-Infinity' };

function decodeFloat(value: unknown): number | string {
  // See `integerText`.
  if (typeof value === 'string' && /^i-?\d/.test(value)) return value.slice(1);
  const number = typeof value === 'number' ? value : (notFinite[String(value).toLowerCase()] ?? Number(value));
  return typeof number === 'string' || Number.isFinite(number) ? number : String(number);
}

/** A value after the letter of its type: see `check/tagged.ts`. */
function decodeTagged(value: string): ResultValue {
  const text = value.slice(1);
  switch (value[0]) {
    case 'n':
      return /^-?\d+$/.test(text) ? decodeWhole(text) : decodeFloat(text);
    case 'f':
      return decodeFloat(text);
    case 'b':
      return text === 'true';
    case 'j':
      return parsed(text);
    default:
      return text;
  }
}

function decodeMap(value: unknown): ResultValue {
  // Empty where a join has no row.
  if (typeof value === 'string') return value === '' ? {} : decodeAboutText(value).attributes;
  return Array.isArray(value) ? decodeAttributes(value) : plain(value);
}

/** A resource or scope that is stored as one text: migration 25 of the telemetry store. */
export interface AboutText {
  readonly attributes: { readonly [key: string]: ResultValue };
  readonly schemaUrl: string;
  readonly droppedAttributesCount: number;
  /** Of a scope. */
  readonly name: string;
  readonly version: string;
}

/** The last ones, since most rows of an answer have the same. */
const decodedTexts = new Map<string, AboutText>();
const MOST_DECODED = 8;
/** Longer texts are not remembered, for their size. */
const LONGEST_DECODED = 16 * 1024;

export function decodeAboutText(text: string): AboutText {
  const known = decodedTexts.get(text);
  if (known) return known;
  const [texts, types, schemaUrl, dropped, name, version]: unknown[] = JSON.parse(text);
  const decoded: AboutText = {
    attributes: decodeTexts(texts, types),
    schemaUrl: String(schemaUrl ?? ''),
    droppedAttributesCount: Number(dropped ?? 0),
    name: String(name ?? ''),
    version: String(version ?? ''),
  };
  if (text.length > LONGEST_DECODED) return decoded;
  if (decodedTexts.size >= MOST_DECODED) decodedTexts.clear();
  decodedTexts.set(text, decoded);
  return decoded;
}

/**
 * The attributes of a row, from JSON with quoted 64-bit integers and denormals: separate maps of strings, ints, floats, bools
 * and JSON texts, or one map of texts with the types of the values that were not sent as text.
 */
export function decodeAttributes(maps: readonly unknown[]): { [key: string]: ResultValue } {
  if (maps.length === 2) return decodeTexts(maps[0], maps[1]);
  const [strings, ints, floats, bools, nested] = maps;
  return {
    ...entries(strings, plain),
    ...entries(ints, decodeWhole),
    ...entries(floats, decodeFloat),
    ...entries(bools, (bool) => bool === true || bool === 1),
    ...entries(nested, (text) => (typeof text === 'string' ? parsed(text) : plain(text))),
  };
}

/** A map of texts, and the letters of those that were not sent as text. */
function decodeTexts(texts: unknown, types: unknown): { [key: string]: ResultValue } {
  const letters = attributeTypes(types);
  const decoded = entries(texts, plain);
  for (const [key, text] of Object.entries(decoded)) {
    const letter = letters.get(key);
    if (letter !== undefined && typeof text === 'string') decoded[key] = decodeTagged(letter + text);
  }
  return decoded;
}

/**
 * The letters of the types of attributes that were not sent as text, by their keys. Each entry is a zero byte, the key, a byte 1
 * and the letter; the first entry of a key counts.
 */
export function attributeTypes(types: unknown): ReadonlyMap<string, string> {
  const letters = new Map<string, string>();
  if (typeof types !== 'string') return letters;
  for (const entry of types.split('\0')) {
    const [key = '', letter] = entry.split('\x01');
    if (letter !== undefined && !letters.has(key)) letters.set(key, letter);
  }
  return letters;
}

function entries(map: unknown, decode: (value: unknown) => ResultValue): { [key: string]: ResultValue } {
  if (typeof map !== 'object' || map === null) return {};
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, decode(value)]));
}

function parsed(text: string): ResultValue {
  try {
    return plain(JSON.parse(withLargeNumbersAsText(text)));
  } catch {
    // Returns the text as sent: an answer must not fail because of it.
    return text;
  }
}

/** Quotes the whole numbers in JSON that JavaScript would round. Skips texts. */
function withLargeNumbersAsText(json: string): string {
  if (!/\d{16}/.test(json)) return json;
  return json.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, (part) =>
    part.startsWith('"') || Number.isSafeInteger(Number(part)) ? part : `"${part}"`,
  );
}

function plain(value: unknown): ResultValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return decodeFloat(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object') return entries(value, plain);
  return null;
}
