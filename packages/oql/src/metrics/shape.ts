import { type Sql, sql } from '../sql/sql.ts';

export type Read = (name: string) => Sql;

/** Takes the place of the scale in the key of an explicit bucket; exponential scales go up to 20. */
export const EXPLICIT = 127;

/**
 * A hash of what points must share for their buckets to be summed element by element: the bounds and, for exponential
 * buckets, the scale, the offsets and the number of buckets.
 */
export function shapeOf(read: Read): Sql {
  return sql`cityHash64(${explicitShapeOf(read)}, ${read('zero_threshold')}, ${read('scale')}, ${read('positive_offset')}, length(${read('positive_counts')}), ${read('negative_offset')}, length(${read('negative_counts')}))`;
}

/** The same for explicit buckets only. */
export function explicitShapeOf(read: Read): Sql {
  return sql`cityHash64(${read('bounds')}, length(${read('bucket_counts')}))`;
}

/**
 * The keys of a point's buckets: explicit ones as (low, high, EXPLICIT), then the zero bucket in the same form, then
 * exponential ones as (sign, index, scale), whose ends are the index-th and next power of 2^(2^-scale). The last explicit
 * bucket has no upper end. The first begins at 0 if its bound is positive; otherwise it has no lower end.
 */
export function keysOf(read: Read, length: Read = lengthOf(read)): Sql {
  const zero = sql`[(-${read('zero_threshold')}, ${read('zero_threshold')}, toInt8(${EXPLICIT}))]`;
  const side = (sign: number, name: 'positive' | 'negative') =>
    sql`arrayMap(i -> (toFloat64(${sign}), toFloat64(${read(`${name}_offset`)} + i), ${read('scale')}), range(${length(`${name}_counts`)}))`;
  return sql`arrayConcat(${explicitKeysOf(read, length)}, ${zero}, ${side(1, 'positive')}, ${side(-1, 'negative')})`;
}

/** The same for explicit buckets only. */
export function explicitKeysOf(read: Read, length: Read = lengthOf(read)): Sql {
  const bounds = read('bounds');
  const lows = sql`arrayResize(arrayPushFront(${bounds}, if(${bounds}[1] > 0, 0., -inf)), ${length('bucket_counts')})`;
  const highs = sql`arrayResize(arrayPushBack(${bounds}, inf), ${length('bucket_counts')}, inf)`;
  return sql`arrayMap((l, h) -> (l, h, toInt8(${EXPLICIT})), ${lows}, ${highs})`;
}

function lengthOf(read: Read): Read {
  return (name) => sql`length(${read(name)})`;
}
