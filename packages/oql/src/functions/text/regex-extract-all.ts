import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';
import { patternFault } from './pattern-fault.ts';

export const regexExtractAll: ScalarFunction = {
  kind: 'scalar',
  name: 'regex_extract_all',
  doc: 'The first group of every match of a regular expression (RE2), or each whole match if it has no group.',
  parameters: [
    { name: 'text', type: 'string' },
    { name: 'pattern', type: 'string', literal: true },
  ],
  returns: 'array',
  nullable: () => false,
  fault: ([, pattern]) => patternFault(pattern),
  sql: ([text = NULL, pattern = NULL]) => sql`extractAll(ifNull(${text}, ''), ${pattern})`,
  examples: [
    ['regex_extract_all("a=1 b=2", "=(\\\\d)")', ['1', '2']],
    ['regex_extract_all("none", "[0-9]")', []],
  ],
};
