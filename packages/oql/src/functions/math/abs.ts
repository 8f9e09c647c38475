import { checkedWhole, wide } from '../../check/whole.ts';
import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const abs: ScalarFunction = {
  kind: 'scalar',
  name: 'abs',
  doc: 'The absolute value.',
  parameters: [{ name: 'of', type: 'quantity' }],
  returns: ([of]) => of?.type ?? 'float',
  sql: ([of = NULL], [value]) =>
    value?.type === 'float' ? sql`abs(${of})` : checkedWhole(sql`abs(${wide(of)})`, value?.nullable ?? true),
  examples: [
    ['abs(-2)', 2],
    ['abs(-1.5)', 1.5],
  ],
};
