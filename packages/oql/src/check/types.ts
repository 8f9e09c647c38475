/**
 * The types of OQL. `duration` is nanoseconds, `bytes` a number of bytes. `any` is an attribute whose type differs by
 * row: where one type is required, a value of another type is null. `null` is the literal.
 */
export type OqlType =
  | 'string'
  | 'int'
  | 'float'
  | 'bool'
  | 'duration'
  | 'timestamp'
  | 'bytes'
  | 'map'
  | 'array'
  | 'any'
  | 'null';

export function isNumber(type: OqlType): boolean {
  return type === 'int' || type === 'float';
}

/** Numbers, durations and sizes: what can be added, averaged and ranked. */
export function isQuantity(type: OqlType): boolean {
  return isNumber(type) || type === 'duration' || type === 'bytes';
}

const ARTICLES: Readonly<Record<OqlType, string>> = {
  string: 'a string',
  int: 'an int',
  float: 'a float',
  bool: 'a bool',
  duration: 'a duration',
  timestamp: 'a timestamp',
  bytes: 'a size in bytes',
  map: 'a map',
  array: 'an array',
  any: 'an attribute of any type',
  null: 'null',
};

/** For messages: `a duration`, `an int`. */
export function withArticle(type: OqlType): string {
  return ARTICLES[type];
}
