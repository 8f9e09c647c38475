import type { Value } from '../../check/value.ts';
import { checkedWhole, wide } from '../../check/whole.ts';
import { NULL, sql } from '../../sql/sql.ts';
import type { ScalarFunction } from '../definition.ts';

/** Nanoseconds per unit. */
const PER: Readonly<Record<string, number>> = { s: 1e9, ms: 1e6, us: 1e3, ns: 1 };

function unitOf(unit: Value | undefined): string {
  return unit?.constant?.type === 'string' ? unit.constant.value : 's';
}

export const fromUnix: ScalarFunction = {
  kind: 'scalar',
  name: 'from_unix',
  doc: 'The time from a number of seconds since 1970, or of another unit (s, ms, us, ns).',
  parameters: [
    { name: 'of', type: 'number' },
    { name: 'unit', type: 'string', literal: true, optional: true },
  ],
  returns: 'timestamp',
  fault: ([, unit]) =>
    unit === undefined || Object.hasOwn(PER, unitOf(unit))
      ? undefined
      : `Use a unit of ${Object.keys(PER).join(', ')}.`,
  sql: ([of = NULL], [value, unit]) => {
    const factor = PER[unitOf(unit)] ?? 1;
    const nanoseconds = value?.type === 'int' ? sql`(${wide(of)} * ${factor})` : sql`trunc(${of} * ${factor})`;
    return sql`fromUnixTimestamp64Nano(${checkedWhole(nanoseconds, value?.nullable ?? true)}, 'UTC')`;
  },
  examples: [
    ['from_unix(1795100000)', '2026-11-19T14:53:20Z'],
    ['from_unix(1795100000500, "ms")', '2026-11-19T14:53:20.500Z'],
  ],
};
