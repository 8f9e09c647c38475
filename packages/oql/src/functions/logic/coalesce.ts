import { call } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { oneKind } from '../one-kind.ts';
import { jointType } from './joint-type.ts';

export const coalesce: ScalarFunction = {
  kind: 'scalar',
  name: 'coalesce',
  doc: 'The first value that is not null.',
  parameters: [{ name: 'values', type: 'value', rest: true }],
  returns: (values) => jointType(values),
  nullable: (values) => values.every((value) => value.nullable),
  fault: oneKind,
  sql: (values) => call('coalesce', values),
  examples: [
    ['coalesce(null, 7)', 7],
    ['coalesce(null, "a", "b")', 'a'],
  ],
};
