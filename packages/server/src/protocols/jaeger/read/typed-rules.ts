import { attributeTypes, decodeAttributes } from '@fanion/oql';

/** A value with the type that it was sent with. */
export type TypedValue =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'bool'; readonly value: boolean }
  /** 64 bits, in digits. */
  | { readonly type: 'int'; readonly value: string }
  | { readonly type: 'double'; readonly value: number }
  /** A list, or an object. */
  | { readonly type: 'nested'; readonly value: unknown };

export type TypedAttributes = readonly (readonly [key: string, value: TypedValue])[];

/** The maps of attributes of a stored span. */
export interface StoredAttributes {
  readonly string_attributes: Readonly<Record<string, string>>;
  readonly int_attributes: Readonly<Record<string, string>>;
  readonly float_attributes: Readonly<Record<string, number | string>>;
  readonly bool_attributes: Readonly<Record<string, boolean>>;
  readonly json_attributes: Readonly<Record<string, string>>;
}

/** The attributes of a span in the order of their keys. */
export function typedAttributes(row: StoredAttributes): TypedAttributes {
  const list = <V>(map: Readonly<Record<string, V>>, typed: (value: V) => TypedValue) =>
    Object.entries(map).map(([key, value]) => [key, typed(value)] as const);
  return inOrder([
    ...list(row.string_attributes, (value) => ({ type: 'string', value })),
    ...list(row.int_attributes, (value) => ({ type: 'int', value: String(value) })),
    ...list(row.float_attributes, (value) => ({ type: 'double', value: numberOf(String(value)) })),
    ...list(row.bool_attributes, (value) => ({ type: 'bool', value: Boolean(value) })),
    ...list(row.json_attributes, nestedOf),
  ]);
}

/** Attributes that are stored as one map of texts, with the types of those that were not sent as text. */
export function typedTexts(texts: Readonly<Record<string, string>>, types: unknown): TypedAttributes {
  const letters = attributeTypes(types);
  return inOrder(Object.entries(texts).map(([key, text]) => [key, typedOf(text, letters.get(key))] as const));
}

function typedOf(text: string, letter: string | undefined): TypedValue {
  switch (letter) {
    case 'f':
      return { type: 'double', value: numberOf(text) };
    // A float without a fraction is stored as a whole number is.
    case 'n':
      return /^-?\d+$/.test(text) ? { type: 'int', value: text } : { type: 'double', value: numberOf(text) };
    case 'b':
      return { type: 'bool', value: text === 'true' };
    case 'j':
      return nestedOf(text);
    default:
      return { type: 'string', value: text };
  }
}

function nestedOf(text: string): TypedValue {
  return { type: 'nested', value: decodeAttributes([{}, {}, {}, {}, { value: text }]).value };
}

/** The store writes what JSON has no number for as `nan`, `inf` and `-inf`. */
function numberOf(text: string): number {
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return Number(text);
}

function inOrder(attributes: TypedAttributes): TypedAttributes {
  return attributes.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
