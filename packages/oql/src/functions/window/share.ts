import { over } from '../../check/windows.ts';
import { aggregate, sql } from '../../sql/sql.ts';
import type { WindowFunction } from '../definition.ts';

export const share: WindowFunction = {
  kind: 'window',
  name: 'share',
  doc: 'The share of a value in its sum over all rows, from 0 to 1; if rows are grouped by time, over the rows of the same bucket; with `within`, over those of the same group. `100 * share(n)` is the percentage of the total.',
  parameters: [{ name: 'of', type: 'quantity' }],
  returns: 'float',
  nullable: () => true,
  order: () => undefined,
  sql: ([of], { peers, add }) => {
    const value = sql`toFloat64(${of?.sql ?? sql`0`})`;
    const total = add(over(aggregate('sum', [value]), { partition: peers }));
    return sql`(${value} / nullIf(${total}, 0))`;
  },
  examples: [['share(x)', [1, 4], [1, 1]]],
};
