import { condition } from '../../check/value.ts';
import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { oneKind } from '../one-kind.ts';
import { asJoint, jointType } from './joint-type.ts';

export const when: ScalarFunction = {
  kind: 'scalar',
  name: 'if',
  doc: 'One of two values, chosen by a condition.',
  parameters: [
    { name: 'condition', type: 'condition' },
    { name: 'then', type: 'value' },
    { name: 'otherwise', type: 'value' },
  ],
  returns: ([, then, otherwise]) => jointType([then, otherwise]),
  nullable: ([, then, otherwise]) => [then, otherwise].some((value) => value?.nullable === true),
  fault: ([, ...values]) => oneKind(values),
  sql: (_, [test, ...values]) => {
    const [then = NULL, otherwise = NULL] = asJoint(values);
    return sql`if(${test ? condition(test) : NULL}, ${then}, ${otherwise})`;
  },
  examples: [
    ['if(1 < 2, "a", "b")', 'a'],
    ['if(false, 1, null)', null],
    ['if(true, 1, 2.5)', 1],
  ],
};
