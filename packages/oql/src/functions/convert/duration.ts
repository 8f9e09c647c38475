import type { Value } from '../../check/value.ts';
import { checkedWhole, roundedWhole, wide } from '../../check/whole.ts';
import { NULL, sql } from '../../sql/sql.ts';
import { DURATION_UNITS, parseDuration } from '../../syntax/literals.ts';
import type { ScalarFunction } from '../definition.ts';

function unitOf(unit: Value | undefined): string {
  return unit?.constant?.type === 'string' ? unit.constant.value : '';
}

export const duration: ScalarFunction = {
  kind: 'scalar',
  name: 'duration',
  doc: 'A number in a unit (ns, us, ms, s, m, h, d) as a duration.',
  parameters: [
    { name: 'of', type: 'number' },
    { name: 'unit', type: 'string', literal: true },
  ],
  returns: 'duration',
  fault: ([, unit]) =>
    DURATION_UNITS.includes(unitOf(unit)) ? undefined : `Use a unit of ${DURATION_UNITS.join(', ')}.`,
  sql: ([of = NULL], [value, unit]) => {
    const factor = Number(parseDuration(`1${unitOf(unit)}`));
    const nullable = value?.nullable ?? true;
    return value?.type === 'int'
      ? checkedWhole(sql`(${wide(of)} * ${factor})`, nullable)
      : roundedWhole(sql`(${of} * ${factor})`, nullable);
  },
  examples: [['duration(1.5, "ms")', 1_500_000]],
};
