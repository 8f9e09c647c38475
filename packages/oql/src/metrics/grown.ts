import type { Plan, Window } from '../plan/plan.ts';
import type { ColumnId, Sql } from '../sql/sql.ts';
import type { Distribution } from './distribution.ts';

/** One row for each series and bucket, as a range function returns it. */
export interface Grown {
  readonly plan: Plan;
  readonly series: ColumnId;
  /** The beginning of the bucket. */
  readonly start: ColumnId;
  readonly about: ReadonlyMap<string, ColumnId>;
  readonly value: Sql;
  /** The value of the number point, where each row is one point. */
  readonly own?: Sql;
  readonly count: Sql;
  readonly sum: Sql;
  /** Absent if it is known that there are no histograms. */
  readonly distribution?: Distribution;
  readonly stepNs?: bigint;
  /** What the buckets cover together. */
  readonly covers?: Window;
}
