import { list, NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const containsAny: ScalarFunction = {
  kind: 'scalar',
  name: 'contains_any',
  doc: 'Whether a text contains any of several texts, ignoring case.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'sought', type: 'string', literal: true, rest: true },
  ],
  returns: 'bool',
  sql: ([text = NULL, ...sought]) => sql`multiSearchAnyCaseInsensitiveUTF8(${text}, [${list(sought)}])`,
  examples: [
    ['contains_any("Connection timed out", "refused", "TIMED OUT")', true],
    ['contains_any("fine", "refused", "timeout")', false],
  ],
};
