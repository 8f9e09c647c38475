import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const string: ScalarFunction = {
  kind: 'scalar',
  name: 'string',
  doc: 'The value as text: a duration as its nanoseconds, a time in RFC 3339.',
  parameters: [{ name: 'of', type: 'value' }],
  returns: 'string',
  sql: ([of = NULL], [value]) => {
    if (value?.type === 'timestamp') return sql`concat(replaceOne(toString(${of}), ' ', 'T'), 'Z')`;
    const integer = typeof value?.integer === 'object' ? value.integer.sql : undefined;
    return integer ? sql`if(${integer} != 0, toString(${integer}), toString(${of}))` : sql`toString(${of})`;
  },
  examples: [
    ['string(7)', '7'],
    ['string(true)', 'true'],
  ],
};
