import { call } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { jointType, ofAll } from '../logic/joint-type.ts';
import { oneKind } from '../one-kind.ts';

export const smallest: ScalarFunction = {
  kind: 'scalar',
  name: 'smallest',
  doc: 'The smallest of several values.',
  parameters: [{ name: 'values', type: ['quantity', 'timestamp', 'string'], rest: true }],
  returns: jointType,
  fault: oneKind,
  sql: (_, values) => ofAll(values, (all) => call('least', all)),
  examples: [
    ['smallest(3, 1, 2)', 1],
    ['smallest(3, 1.5)', 1.5],
    ['smallest(3, int("x"), 2)', null],
  ],
};
