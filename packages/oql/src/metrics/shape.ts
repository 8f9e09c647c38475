import { type Sql, sql } from '../sql/sql.ts';

export type Read = (name: string) => Sql;

/**
 * What all points have in common whose buckets can be added up number by number, as one number: bounds, and of exponential
 * buckets the scale, the offsets and how many there are.
 */
export function shapeOf(read: Read): Sql {
  return sql`cityHash64(${explicitShapeOf(read)}, ${read('zero_threshold')}, ${read('scale')}, ${read('positive_offset')}, length(${read('positive_counts')}), ${read('negative_offset')}, length(${read('negative_counts')}))`;
}

/** The same of explicit buckets alone. */
export function explicitShapeOf(read: Read): Sql {
  return sql`cityHash64(${read('bounds')}, length(${read('bucket_counts')}))`;
}

/** Of a point, what the keys of its buckets are made of; the functions below take it apart. */
export function descriptionOf(read: Read, length: Read = (name) => sql`length(${read(name)})`): Sql {
  return sql`(${read('bounds')}, ${length('bucket_counts')}, ${read('zero_threshold')}, ${read('scale')}, ${read('positive_offset')}, ${length('positive_counts')}, ${read('negative_offset')}, ${length('negative_counts')})`;
}

/**
 * The keys of explicit buckets: their two bounds. The zero bucket goes with them, since it lies between two bounds.
 */
export function explicitKeysOf(shape: Sql): Sql {
  const bounds = sql`${shape}.1`;
  const low = sql`if(i = 1, if(${bounds}[1] > 0, 0., ${bounds}[1]), ${bounds}[i - 1])`;
  const high = sql`if(i > length(${bounds}), ${bounds}[-1], ${bounds}[i])`;
  return sql`arrayPushBack(arrayMap(i -> (toFloat64(${low}), toFloat64(${high})), range(1, ${shape}.2 + 1)), (-${shape}.3, ${shape}.3))`;
}

/** The keys of exponential buckets: scale, sign and index; they end at the index-th and next power of 2^(2^-scale). */
export function exponentialKeysOf(shape: Sql): Sql {
  const side = (sign: Sql, offset: Sql, count: Sql) =>
    sql`arrayMap(i -> (toInt8(${shape}.4), toInt8(${sign}), toInt32(${offset} + i)), range(${count}))`;
  return sql`arrayConcat(${side(sql`1`, sql`${shape}.5`, sql`${shape}.6`)}, ${side(sql`-1`, sql`${shape}.7`, sql`${shape}.8`)})`;
}
