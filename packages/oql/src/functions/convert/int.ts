import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const int: ScalarFunction = {
  kind: 'scalar',
  name: 'int',
  doc: 'The value as a whole number: text that is one, a float without its fraction, a duration in nanoseconds; else null.',
  parameters: [{ name: 'of', type: ['string', 'quantity', 'bool', 'any'] }],
  returns: 'int',
  nullable: () => true,
  sql: ([of = NULL], [value]) =>
    value?.type === 'string' || value?.type === 'any'
      ? sql`toInt64OrNull(${of})`
      : sql`accurateCastOrNull(trunc(${of}), 'Int64')`,
  examples: [
    ['int("17")', 17],
    ['int("x")', null],
    ['int(1.9)', 1],
    ['int(1us)', 1000],
  ],
};
