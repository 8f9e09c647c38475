import { call } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { asJoint, jointType } from '../logic/joint-type.ts';
import { oneKind } from '../one-kind.ts';

export const smallest: ScalarFunction = {
  kind: 'scalar',
  name: 'smallest',
  doc: 'The smallest of several values.',
  parameters: [{ name: 'values', type: ['quantity', 'timestamp', 'string'], rest: true }],
  returns: jointType,
  fault: oneKind,
  sql: (_, values) => call('least', asJoint(values)),
  examples: [
    ['smallest(3, 1, 2)', 1],
    ['smallest(3, 1.5)', 1.5],
  ],
};
