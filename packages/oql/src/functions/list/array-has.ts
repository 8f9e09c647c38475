import { hasElement } from '../../check/elements.ts';
import { FALSE } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

export const arrayHas: ScalarFunction = {
  kind: 'scalar',
  name: 'array_has',
  doc: 'Whether a list contains a value, like `list has "value"`.',
  parameters: [
    { name: 'values', type: 'array' },
    { name: 'sought', type: 'value' },
  ],
  returns: 'bool',
  sql: (_, [values, sought]) => (values && sought ? hasElement(values, sought) : FALSE),
  examples: [
    ['array_has(split("a,b", ","), "b")', true],
    ['array_has(split("a,b", ","), "c")', false],
  ],
};
