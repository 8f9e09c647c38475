import { NULL, type Sql, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

function whole(of: Sql): Sql {
  return sql`accurateCastOrNull(trunc(${of}), 'Int64')`;
}

export const int: ScalarFunction = {
  kind: 'scalar',
  name: 'int',
  doc: 'The value as an integer: integer text, a float without its fraction, a duration in nanoseconds; otherwise null.',
  parameters: [{ name: 'of', type: ['string', 'quantity', 'bool', 'any'] }],
  returns: 'int',
  nullable: () => true,
  sql: ([of = NULL], [value]) => {
    if (value?.dynamic) {
      const { read } = value.dynamic;
      return sql`coalesce(${read('int')}, ${whole(read('float'))}, toInt64OrNull(${read('string')}), toInt64(${read('bool')}))`;
    }
    const integer = typeof value?.integer === 'object' ? value.integer.sql : undefined;
    if (integer) return sql`if(${integer} != 0, ${integer}, ${whole(of)})`;
    return value?.type === 'string' ? sql`toInt64OrNull(${of})` : whole(of);
  },
  examples: [
    ['int("17")', 17],
    ['int("x")', null],
    ['int(1.9)', 1],
    ['int(1us)', 1000],
  ],
};
