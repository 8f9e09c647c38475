import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { patternFault } from './pattern-fault.ts';

export const regexExtract: ScalarFunction = {
  kind: 'scalar',
  name: 'regex_extract',
  doc: 'The first group of a regular expression (RE2) in a text, or the whole match if it has no group; null if it does not match.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'pattern', type: 'string', literal: true },
  ],
  returns: 'string',
  nullable: () => true,
  fault: ([, pattern]) => patternFault(pattern),
  sql: ([text = NULL, pattern = NULL]) => sql`if(match(${text}, ${pattern}), extract(${text}, ${pattern}), NULL)`,
  examples: [
    ['regex_extract("took 17 ms", "took (\\\\d+)")', '17'],
    ['regex_extract("x", "y")', null],
  ],
};
