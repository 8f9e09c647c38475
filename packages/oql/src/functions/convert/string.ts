import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const string: ScalarFunction = {
  kind: 'scalar',
  name: 'string',
  doc: 'The value as text: a duration as its nanoseconds, a time in RFC 3339.',
  parameters: [{ name: 'of', type: 'value' }],
  returns: 'string',
  sql: ([of = NULL], [value]) =>
    value?.type === 'timestamp' ? sql`concat(replaceOne(toString(${of}), ' ', 'T'), 'Z')` : sql`toString(${of})`,
  examples: [
    ['string(7)', '7'],
    ['string(true)', 'true'],
  ],
};
