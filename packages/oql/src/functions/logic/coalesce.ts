import { call } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { oneKind } from '../one-kind.ts';
import { asJoint, jointType } from './joint-type.ts';

export const coalesce: ScalarFunction = {
  kind: 'scalar',
  name: 'coalesce',
  doc: 'The first value that is not null.',
  parameters: [{ name: 'values', type: 'value', rest: true }],
  returns: (values) => jointType(values),
  nullable: (values) => values.every((value) => value.nullable),
  fault: oneKind,
  sql: (_, values) => call('coalesce', asJoint(values)),
  examples: [
    ['coalesce(null, 7)', 7],
    ['coalesce(null, 1, 2.5)', 1],
    ['coalesce(null, "a", "b")', 'a'],
  ],
};
