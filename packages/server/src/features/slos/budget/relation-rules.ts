import type { CompiledRelation, RelationColumn } from '@fanion/oql';

/** Why a query has no single number, with what to write instead. */
export type NoValue = { readonly problem: string };

/** The value of a row: its column `value`, or else its only number. */
export function valueColumn({ values }: Pick<CompiledRelation, 'values'>): RelationColumn | NoValue {
  const numbers = values.filter(({ type }) => isNumber(type));
  const value = numbers.find(({ of }) => of === 'value') ?? (numbers.length === 1 ? numbers[0] : undefined);
  if (value !== undefined) return value;
  return numbers.length === 0
    ? { problem: 'The query returns no number. Add an aggregate, as in `stats value=count()`.' }
    : { problem: 'The query returns several numbers. Name the one that is meant `value`.' };
}

/** The same for a query that returns one number and no groups. */
export function onlyValue(relation: Pick<CompiledRelation, 'keys' | 'values'>): RelationColumn | NoValue {
  const [key] = relation.keys;
  if (key !== undefined)
    return {
      problem: `The query groups by \`${key.of}\`. Leave \`by …\` out: it returns one number for each step of time.`,
    };
  return valueColumn(relation);
}

function isNumber(type: RelationColumn['type']): boolean {
  return type === 'int' || type === 'float' || type === 'duration' || type === 'bytes';
}
