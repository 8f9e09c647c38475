import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { jointType, ofAll } from '../logic/joint-type.ts';
import { oneKind } from '../one-kind.ts';

export const clamp: ScalarFunction = {
  kind: 'scalar',
  name: 'clamp',
  doc: 'The value limited to a lower and an upper bound.',
  parameters: [
    { name: 'of', type: 'quantity' },
    { name: 'low', type: 'quantity' },
    { name: 'high', type: 'quantity' },
  ],
  returns: jointType,
  fault: oneKind,
  sql: (_, values) =>
    ofAll(values, ([of = NULL, low = NULL, high = NULL]) => sql`least(greatest(${of}, ${low}), ${high})`),
  examples: [
    ['clamp(7, 0, 5)', 5],
    ['clamp(7, 0, 5.5)', 5.5],
    ['clamp(10ms, 20ms, 1s)', 20_000_000],
    ['clamp(int("x"), 0, 5)', null],
  ],
};
