import type { OqlType } from '../../check/types.ts';
import type { Value } from '../../check/value.ts';

/** The type of a value that is one of several: theirs; float where there are ints and floats. */
export function jointType(values: readonly (Value | undefined)[]): OqlType {
  const types = new Set(values.flatMap((value) => (value && value.type !== 'null' ? [value.type] : [])));
  const [only] = types;
  if (only === undefined) return 'null';
  return types.size === 1 ? only : 'float';
}
