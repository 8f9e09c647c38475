import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { patternFault } from './pattern-fault.ts';

export const regexCount: ScalarFunction = {
  kind: 'scalar',
  name: 'regex_count',
  doc: 'How often a regular expression (RE2) matches in a text.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'pattern', type: 'string', literal: true },
  ],
  returns: 'int',
  fault: ([, pattern]) => patternFault(pattern),
  sql: ([text = NULL, pattern = NULL]) => sql`toInt64(countMatches(${text}, ${pattern}))`,
  examples: [['regex_count("a1b22", "[0-9]+")', 2]],
};
