import { call } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { oneKind } from '../one-kind.ts';

export const largest: ScalarFunction = {
  kind: 'scalar',
  name: 'largest',
  doc: 'The largest of several values.',
  parameters: [{ name: 'values', type: ['quantity', 'timestamp', 'string'], rest: true }],
  returns: ([of]) => of?.type ?? 'float',
  fault: oneKind,
  sql: (values) => call('greatest', values),
  examples: [['largest(1s, 2s)', 2_000_000_000]],
};
