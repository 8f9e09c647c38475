import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const padLeft: ScalarFunction = {
  kind: 'scalar',
  name: 'pad_left',
  doc: 'The text padded on the left to a length; a longer text does not change.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'length', type: 'int', literal: true },
    { name: 'by', type: 'string', literal: true, optional: true },
  ],
  returns: 'string',
  fault: ([, length]) =>
    length?.constant?.type === 'int' && length.constant.value >= 0n && length.constant.value <= 1000n
      ? undefined
      : 'Text can be padded to at most 1000 characters.',
  sql: ([text = NULL, length = NULL, by = sql`' '`]) =>
    sql`if(lengthUTF8(${text}) >= ${length}, ${text}, leftPadUTF8(${text}, ${length}, ${by}))`,
  examples: [
    ['pad_left("7", 3, "0")', '007'],
    ['pad_left("long", 2)', 'long'],
  ],
};
