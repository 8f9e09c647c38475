import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const arrayLength: ScalarFunction = {
  kind: 'scalar',
  name: 'array_length',
  doc: 'The number of values in a list.',
  parameters: [{ name: 'values', type: ['array', 'any'] }],
  returns: 'int',
  sql: ([values = NULL], [value]) => {
    if (!value?.dynamic) return sql`toInt64(length(${values}))`;
    const list = value.dynamic.read('array');
    return sql`if(startsWith(${list}, '['), toInt64(JSONLength(assumeNotNull(${list}))), NULL)`;
  },
  examples: [['array_length(split("a,b", ","))', 2]],
};
