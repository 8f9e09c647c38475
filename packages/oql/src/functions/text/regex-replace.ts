import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { patternFault } from './pattern-fault.ts';

export const regexReplace: ScalarFunction = {
  kind: 'scalar',
  name: 'regex_replace',
  doc: 'The text with every match of a regular expression (RE2) replaced; `\\\\1` is its first group.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'pattern', type: 'string', literal: true },
    { name: 'by', type: 'string', literal: true },
  ],
  returns: 'string',
  fault: ([, pattern]) => patternFault(pattern),
  sql: ([text = NULL, pattern = NULL, by = NULL]) => sql`replaceRegexpAll(${text}, ${pattern}, ${by})`,
  examples: [['regex_replace("order 17", "[0-9]+", "#")', 'order #']],
};
