import { call } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { oneKind } from '../one-kind.ts';

export const smallest: ScalarFunction = {
  kind: 'scalar',
  name: 'smallest',
  doc: 'The smallest of several values.',
  parameters: [{ name: 'values', type: ['quantity', 'timestamp', 'string'], rest: true }],
  returns: ([of]) => of?.type ?? 'float',
  fault: oneKind,
  sql: (values) => call('least', values),
  examples: [['smallest(3, 1, 2)', 1]],
};
