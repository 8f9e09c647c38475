import { type Sql, sql } from '../sql/sql.ts';
import { atScale } from './scale.ts';
import type { Read } from './shape.ts';

/** Some of a point's buckets, and how much more each holds than at the previous point. */
export interface Difference {
  readonly now: Sql;
  /** Whether the two points can be compared. */
  readonly comparable: Sql;
  readonly difference: Sql;
}

export interface ExponentialDifference extends Difference {
  readonly positive: Sql;
  readonly negative: Sql;
}

/** How much more each bucket of a point holds than at the previous point; the zero bucket is among the explicit ones. */
export function bucketDifferences(
  read: Read,
  before: Read,
): { readonly explicit: Difference; readonly exponential: ExponentialDifference } {
  const floats = (counts: Sql) => sql`arrayMap(n -> toFloat64(n), ${counts})`;
  const explicitOf = (of: Read) => sql`arrayPushBack(${floats(of('bucket_counts'))}, toFloat64(${of('zero_count')}))`;
  const [explicitNow, explicitBefore] = [explicitOf(read), explicitOf(before)];
  const sameBounds = sql`(${before('bounds')} = ${read('bounds')} AND length(${before('bucket_counts')}) = length(${read('bucket_counts')}))`;
  const scaleBefore = before('scale');
  const side = (sign: 'positive' | 'negative'): Sql => {
    const [then, offset] = [before(`${sign}_counts`), before(`${sign}_offset`)];
    const [now, start] = [read(`${sign}_counts`), read(`${sign}_offset`)];
    // The previous point may have a larger scale.
    const there = atScale(
      { counts: then, offset, scale: scaleBefore },
      { scale: read('scale'), offset: start, length: sql`length(${now})` },
    );
    return sql`arrayMap((c, b) -> toFloat64(c) - b, ${now}, ${there})`;
  };
  const [positive, negative] = [side('positive'), side('negative')];
  return {
    explicit: {
      now: explicitNow,
      comparable: sameBounds,
      difference: sql`arrayMap((a, b) -> a - b, ${explicitNow}, ${explicitBefore})`,
    },
    exponential: {
      now: sql`arrayConcat(${floats(read('positive_counts'))}, ${floats(read('negative_counts'))})`,
      comparable: sql`(${scaleBefore} >= ${read('scale')})`,
      positive,
      negative,
      difference: sql`arrayConcat(${positive}, ${negative})`,
    },
  };
}
