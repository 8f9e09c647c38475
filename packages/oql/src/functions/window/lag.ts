import { carried } from '../../check/tagged.ts';
import type { Value } from '../../check/value.ts';
import { exactlyBefore, over, UP_TO_HERE } from '../../check/windows.ts';
import { aggregate, integer, type Sql, sql } from '../../sql/sql.ts';
import type { RowsBeside, WindowFunction } from '../definition.ts';

/**
 * The value of the bucket `distance` buckets before, null if a series has no such bucket. For rows without buckets, that
 * of the row `distance` rows before.
 */
export function valueBefore(of: Sql, distance: bigint, beside: RowsBeside): Sql {
  const { series, number, order } = beside;
  if (number) {
    const rows = exactlyBefore(distance);
    return beside.add(over(aggregate('anyOrNull', [of]), { partition: series, order: number, rows }));
  }
  const lagged = sql`lagInFrame(toNullable(${of}), ${integer(distance)})`;
  return beside.add(over(lagged, { partition: series, ...(order ? { order } : {}), rows: UP_TO_HERE }));
}

function distanceOf(value: Value | undefined): bigint {
  return value?.constant?.type === 'int' ? value.constant.value : 1n;
}

export const lag: WindowFunction = {
  kind: 'window',
  name: 'lag',
  doc: 'The value of the previous bucket, or of the one `distance` buckets before; null if the series has no such bucket. For rows without buckets, that of the previous row.',
  parameters: [
    { name: 'of', type: 'value' },
    { name: 'distance', type: 'int', optional: true, literal: true },
  ],
  returns: ([of]) => of?.type ?? 'any',
  nullable: () => true,
  order: () => 'order',
  fault: ([, distance]) =>
    distanceOf(distance) >= 1n && distanceOf(distance) <= 10_000n
      ? undefined
      : 'A distance must be between 1 and 10000.',
  sql: ([of, distance], beside) => valueBefore(of ? carried(of) : sql`NULL`, distanceOf(distance), beside),
  examples: [
    ['lag(x)', [1, 2, 4], [null, 1, 2]],
    ['lag(x, 2)', [1, 2, 4], [null, null, 1]],
  ],
};
