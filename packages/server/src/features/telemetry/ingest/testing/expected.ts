import type { KeyValue } from '../../../../../../telemetry/src/testing/otlp.ts';

/** The value that the store must return, derived from the JSON that was sent, independently of the transcoder. */
export function asJson(value: Record<string, unknown>): string {
  const [[kind, content] = ['none', null]] = Object.entries(value);
  switch (kind) {
    case 'stringValue':
    case 'boolValue':
    case 'bytesValue':
      return JSON.stringify(content);
    case 'intValue':
      return String(content);
    case 'doubleValue':
      return typeof content === 'string' ? `"${content}"` : String(content);
    case 'arrayValue':
      return `[${valuesOf<Record<string, unknown>>(content).map(asJson).join(',')}]`;
    case 'kvlistValue':
      return `{${valuesOf<KeyValue>(content)
        .map(({ key, value: inner }) => `${JSON.stringify(key)}:${asJson(inner)}`)
        .join(',')}}`;
    default:
      return 'null';
  }
}
function valuesOf<T>(list: unknown): T[] {
  return (list as { values: T[] }).values;
}

/** Attributes in the five maps of the store. */
export type Maps = Record<'string' | 'int' | 'float' | 'bool' | 'json', Record<string, unknown>>;

export function typed(attributes: KeyValue[] = []): Maps {
  const maps: Maps = { string: {}, int: {}, float: {}, bool: {}, json: {} };
  for (const [key, value] of new Map(attributes.map((pair) => [pair.key, pair.value]))) {
    const [[kind, content] = ['none', null]] = Object.entries(value);
    if (kind === 'stringValue' || kind === 'bytesValue') define(maps.string, key, content);
    else if (kind === 'intValue') define(maps.int, key, String(content));
    else if (kind === 'doubleValue') define(maps.float, key, Number(content));
    else if (kind === 'boolValue') define(maps.bool, key, content);
    else define(maps.json, key, asJson(value));
  }
  return maps;
}
/** An own property of any name, `__proto__` included. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

export function asText(attributes: KeyValue[] = []): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [key, value] of new Map(attributes.map((pair) => [pair.key, pair.value]))) {
    const [[kind, content] = ['none', '']] = Object.entries(value);
    const isPlain = kind === 'stringValue' || kind === 'bytesValue' || kind === 'none';
    const isSpecial = kind === 'doubleValue' && typeof content === 'string';
    define(texts, key, isPlain || isSpecial ? String(content) : asJson(value));
  }
  return texts;
}

export function mapsOf(row: Record<string, unknown>): Maps {
  const floats = row.float_attributes as Record<string, unknown>;
  const float: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(floats)) define(float, key, specialNumber(value));
  return {
    string: row.string_attributes as Maps['string'],
    int: row.int_attributes as Maps['int'],
    float,
    bool: row.bool_attributes as Maps['bool'],
    json: row.json_attributes as Maps['json'],
  };
}
function specialNumber(value: unknown): number {
  if (value === 'inf' || value === '-inf') return value === 'inf' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  return Number(value);
}
