import { attributeTypes } from '@fanion/oql';

/** A value of OTLP, as protobuf's JSON has it. */
export type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number | string }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } }
  | { readonly kvlistValue: { readonly values: readonly KeyValue[] } };

export interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

/** Attributes as the store has them, by the type that they were sent with. */
export interface TypedMaps {
  readonly string_attributes: Readonly<Record<string, string>>;
  readonly int_attributes: Readonly<Record<string, string>>;
  readonly float_attributes: Readonly<Record<string, number | string>>;
  readonly bool_attributes: Readonly<Record<string, boolean | number>>;
  readonly json_attributes: Readonly<Record<string, string>>;
}

const notFinite: Readonly<Record<string, string>> = { nan: 'NaN', '-nan': 'NaN', inf: 'Infinity', '-inf': '-Infinity' };

function double(value: number | string): AnyValue {
  const text = String(value);
  return { doubleValue: notFinite[text.toLowerCase()] ?? (Number.isFinite(Number(text)) ? Number(text) : text) };
}

/** Attributes in the order of their keys, each with the type that it was sent with. */
export function typedAttributes(maps: TypedMaps): KeyValue[] {
  const of = <Sent>(map: Readonly<Record<string, Sent>>, read: (sent: Sent) => AnyValue): KeyValue[] =>
    Object.entries(map).map(([key, sent]) => ({ key, value: read(sent) }));
  return inOrder([
    ...of(maps.string_attributes, (stringValue) => ({ stringValue })),
    ...of(maps.int_attributes, (intValue) => ({ intValue: String(intValue) })),
    ...of(maps.float_attributes, double),
    ...of(maps.bool_attributes, (bool) => ({ boolValue: bool === true || bool === 1 })),
    ...of(maps.json_attributes, nested),
  ]);
}

/** The same of a map of texts, and the types of those that were not sent as text. */
export function textAttributes(texts: Readonly<Record<string, string>>, types: string): KeyValue[] {
  const letters = attributeTypes(types);
  return inOrder(Object.entries(texts).map(([key, text]) => ({ key, value: ofLetter(letters.get(key), text) })));
}

function ofLetter(letter: string | undefined, text: string): AnyValue {
  switch (letter) {
    case 'n':
      return /^-?\d+$/.test(text) ? { intValue: text } : double(text);
    case 'f':
      return double(text);
    case 'b':
      return { boolValue: text === 'true' };
    case 'j':
      return nested(text);
    default:
      return { stringValue: text };
  }
}

function nested(json: string): AnyValue {
  try {
    return anyValue(JSON.parse(json));
  } catch {
    // Returned as it was stored: an answer must not fail because of it.
    return { stringValue: json };
  }
}

/** What OQL answers of an attribute, or what is in a list or map. */
export function anyValue(value: unknown): AnyValue {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (typeof value === 'object' && value !== null)
    return { kvlistValue: { values: Object.entries(value).map(([key, of]) => ({ key, value: anyValue(of) })) } };
  return { stringValue: value === null ? '' : String(value) };
}

function inOrder(attributes: KeyValue[]): KeyValue[] {
  return attributes.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}
