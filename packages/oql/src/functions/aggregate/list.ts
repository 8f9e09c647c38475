import { carried } from '../../check/tagged.ts';
import type { Value } from '../../check/value.ts';
import { aggregate, type Sql, sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';

/** The values of rows in the order of their time, without nulls. */
export function inOrder(of: Value | undefined, time: Sql | undefined): Sql {
  // A null without a type has no list.
  const value = of && of.type !== 'null' ? carried(of) : sql`CAST(NULL, 'Nullable(String)')`;
  const pairs = aggregate('groupArrayIf', [
    sql`(${time ?? sql`0`}, assumeNotNull(${value}))`,
    sql`isNotNull(${value})`,
  ]);
  return sql`arrayMap(pair -> pair.2, arraySort(pair -> pair.1, ${pairs}))`;
}

export const list: AggregateFunction = {
  kind: 'aggregate',
  name: 'list',
  doc: 'All values, earliest first.',
  parameters: [{ name: 'of', type: 'value' }],
  returns: 'array',
  nullable: false,
  weights: 'stored',
  elements: ([of]) => of?.type,
  sql: ([of], { time }) => inOrder(of, time),
  examples: [['list(x)', [7, 7, null], [7, 7]]],
};
