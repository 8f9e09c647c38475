import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const float: ScalarFunction = {
  kind: 'scalar',
  name: 'float',
  doc: 'The value as a float, from any number or numeric text; otherwise null.',
  parameters: [{ name: 'of', type: ['string', 'quantity', 'bool', 'any'] }],
  returns: 'float',
  nullable: () => true,
  sql: ([of = NULL], [value]) => {
    if (value?.dynamic) {
      const { read } = value.dynamic;
      return sql`coalesce(${read('float')}, toFloat64OrNull(${read('string')}), toFloat64(${read('bool')}))`;
    }
    return value?.type === 'string' ? sql`toFloat64OrNull(${of})` : sql`toFloat64(${of})`;
  },
  examples: [
    ['float("1.5")', 1.5],
    ['float("x")', null],
    ['float(2)', 2],
  ],
};
