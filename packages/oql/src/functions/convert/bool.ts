import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const bool: ScalarFunction = {
  kind: 'scalar',
  name: 'bool',
  doc: 'The value as a boolean: true, false, or these words as text; otherwise null.',
  parameters: [{ name: 'of', type: ['bool', 'string', 'any'] }],
  returns: 'bool',
  nullable: () => true,
  sql: ([of = NULL], [value]) =>
    value?.type === 'bool' ? of : sql`multiIf(lower(${of}) = 'true', true, lower(${of}) = 'false', false, NULL)`,
  examples: [
    ['bool("TRUE")', true],
    ['bool("1")', null],
  ],
};
