import { call } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { jointType, ofAll } from '../logic/joint-type.ts';
import { oneKind } from '../one-kind.ts';

export const largest: ScalarFunction = {
  kind: 'scalar',
  name: 'largest',
  doc: 'The largest of several values.',
  parameters: [{ name: 'values', type: ['quantity', 'timestamp', 'string'], rest: true }],
  returns: jointType,
  fault: oneKind,
  sql: (_, values) => ofAll(values, (all) => call('greatest', all)),
  examples: [
    ['largest(1s, 2s)', 2_000_000_000],
    ['largest(1, 2.5)', 2.5],
    ['largest(1, int("x"))', null],
    // In the store, lengths are unsigned.
    ['largest(length("abc"), 2)', 3],
  ],
};
