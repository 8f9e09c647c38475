import { aggregate, NULL, type Sql, sql } from '../../sql/sql.ts';
import type { AggregateFunction } from '../definition.ts';

export const gap: AggregateFunction = {
  kind: 'aggregate',
  name: 'gap',
  doc: 'The time from the start of the first span of one name to the start of the first span of another; negative if the other started earlier, null if one is missing.',
  parameters: [
    { name: 'from', type: 'string' },
    { name: 'to', type: 'string' },
  ],
  returns: 'duration',
  nullable: true,
  weights: 'alike',
  sql: ([from, to], { time, field }) => {
    const name = field('name') ?? NULL;
    const first = (of: Sql | undefined) =>
      sql`toUnixTimestamp64Nano(${aggregate('minIfOrNull', [time ?? NULL, sql`(${name} = ${of ?? NULL})`])})`;
    return sql`(${first(to?.sql)} - ${first(from?.sql)})`;
  },
  examples: [],
};
