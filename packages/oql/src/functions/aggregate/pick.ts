import { carried } from '../../check/tagged.ts';
import type { Value } from '../../check/value.ts';
import { aggregate, list, NULL, type Sql, sql } from '../../sql/sql.ts';
import type { AggregateFunction, Parameter } from '../definition.ts';

const OF: Parameter = { name: 'of', type: 'value' };
const read = (value: Value | undefined): Sql => (value ? carried(value) : NULL);
const sameType: AggregateFunction['returns'] = ([of]) => of?.type ?? 'any';

export const any: AggregateFunction = {
  kind: 'aggregate',
  name: 'any',
  doc: 'An arbitrary value; with a condition, whether any row matches it.',
  parameters: [{ name: 'of', type: ['bool', 'value'] }],
  returns: sameType,
  nullable: true,
  weights: 'alike',
  sql: ([of]) => (of?.type === 'bool' ? aggregate('maxOrNull', [read(of)]) : aggregate('anyOrNull', [read(of)])),
  examples: [['any(x)', [7, 7], 7]],
};

export const first: AggregateFunction = {
  kind: 'aggregate',
  name: 'first',
  doc: 'The value of the earliest row.',
  parameters: [OF],
  returns: sameType,
  nullable: true,
  weights: 'alike',
  sql: ([of], { time }) => aggregate('argMinOrNull', [read(of), time ?? sql`0`]),
  examples: [['first(x)', [5, 5], 5]],
};

export const last: AggregateFunction = {
  kind: 'aggregate',
  name: 'last',
  doc: 'The value of the latest row.',
  parameters: [OF],
  returns: sameType,
  nullable: true,
  weights: 'alike',
  sql: ([of], { time }) => aggregate('argMaxOrNull', [read(of), time ?? sql`0`]),
  examples: [['last(x)', [5, 5], 5]],
};

const BY: Parameter = { name: 'by', type: 'value' };

/** Ranks by an attribute of several types: by its numbers, if it has none by its texts, then by its booleans, as `max` does. */
function ranked(fn: 'argMinOrNull' | 'argMaxOrNull', of: Value | undefined, by: Value | undefined): Sql {
  const dynamic = by?.dynamic;
  if (!dynamic) return aggregate(fn, [read(of), read(by)]);
  const ways = (['float', 'string', 'bool'] as const).map((type) => aggregate(fn, [read(of), dynamic.read(type)]));
  return sql`coalesce(${list(ways)})`;
}

export const argmin: AggregateFunction = {
  kind: 'aggregate',
  name: 'argmin',
  doc: 'The value from the row where another value is smallest. For an attribute: the smallest of its numbers, or if it has no numbers, of its texts.',
  parameters: [OF, BY],
  returns: sameType,
  nullable: true,
  weights: 'alike',
  sql: ([of, by]) => ranked('argMinOrNull', of, by),
  examples: [['argmin(x * 10, x)', [3, 1, 2], 10]],
};

export const argmax: AggregateFunction = {
  kind: 'aggregate',
  name: 'argmax',
  doc: 'The value from the row where another value is largest. For an attribute: the largest of its numbers, or if it has no numbers, of its texts.',
  parameters: [OF, BY],
  returns: sameType,
  nullable: true,
  weights: 'alike',
  sql: ([of, by]) => ranked('argMaxOrNull', of, by),
  examples: [['argmax(x * 10, x)', [3, 1, 2], 30]],
};

export const values: AggregateFunction = {
  kind: 'aggregate',
  name: 'values',
  doc: 'The distinct values, in order.',
  parameters: [OF],
  returns: 'array',
  nullable: false,
  weights: 'alike',
  elements: ([of]) => of?.type,
  sql: ([of]) => {
    const found = aggregate('groupUniqArray', [read(of)]);
    // Numbers come first, in their order.
    return of?.type === 'any'
      ? sql`arraySort(x -> (ifNull(toFloat64OrNull(substring(x, 2)), inf), x), ${found})`
      : sql`arraySort(${found})`;
  },
  examples: [['values(x)', [2, 1, 2], [1, 2]]],
};
