import { condition, type Value } from '../../check/value.ts';
import { list, NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { oneKind } from '../one-kind.ts';
import { asJoint, jointType } from './joint-type.ts';

function results(args: readonly Value[]): Value[] {
  return args.filter((_, i) => i % 2 === 1 || (i === args.length - 1 && args.length % 2 === 1));
}

function faultOf(args: readonly Value[]): string | undefined {
  const conditions = args.filter((_, i) => i % 2 === 0 && !(i === args.length - 1 && args.length % 2 === 1));
  if (conditions.some((arg) => arg.type !== 'bool'))
    return 'Every second argument of `case` must be a condition, starting with the first.';
  return oneKind(results(args));
}

export const choose: ScalarFunction = {
  kind: 'scalar',
  name: 'case',
  doc: 'The value after the first true condition: `case(a, 1, b, 2, 3)` is 1 if `a`, 2 if `b`, otherwise 3.',
  parameters: [
    { name: 'condition', type: ['condition', 'value'] },
    { name: 'value', type: 'value' },
    { name: 'more', type: 'value', rest: true },
  ],
  returns: (args) => jointType(results(args)),
  nullable: (args) => args.length % 2 === 0 || results(args).some((value) => value.nullable),
  fault: faultOf,
  sql: (_, args) => {
    const values = asJoint(results(args));
    const conditions = args.filter((_, i) => i % 2 === 0 && i < args.length - 1).map(condition);
    const otherwise = values[conditions.length] ?? NULL;
    return sql`multiIf(${list([...conditions.flatMap((holds, i) => [holds, values[i] ?? NULL]), otherwise])})`;
  },
  examples: [
    ['case(1 > 2, "a", 2 > 1, "b", "c")', 'b'],
    ['case(false, 1, 2)', 2],
    ['case(true, 1, 2.5)', 1],
  ],
};
