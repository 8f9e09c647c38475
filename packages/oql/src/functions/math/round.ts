import type { Value } from '../../check/value.ts';
import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

function digitsOf(digits: Value | undefined): number {
  return digits?.constant?.type === 'int' ? Number(digits.constant.value) : 0;
}

export const round: ScalarFunction = {
  kind: 'scalar',
  name: 'round',
  doc: 'The value rounded to a number of decimal places; halves round away from zero.',
  parameters: [
    { name: 'of', type: 'number' },
    { name: 'digits', type: 'int', optional: true, literal: true },
  ],
  returns: 'float',
  fault: ([, digits]) => (Math.abs(digitsOf(digits)) <= 15 ? undefined : 'Round to at most 15 digits.'),
  sql: ([of = NULL], [, digits]) =>
    // ClickHouse rounds halves to even; users expect them to be rounded away from zero.
    sql`(sign(${of}) * floor(abs(toFloat64(${of})) * ${10 ** digitsOf(digits)} + 0.5) / ${10 ** digitsOf(digits)})`,
  examples: [
    ['round(2.5)', 3],
    ['round(1.234, 2)', 1.23],
  ],
};
