import type { Plan } from '../plan/plan.ts';
import type { Sql } from '../sql/sql.ts';
import type { Context } from './context.ts';
import type { Relation } from './relation.ts';

/** Rows that are counted with the weights of sampling. */
export interface SampledRows {
  readonly plan: Plan;
  readonly weight: Sql;
  /** Whether the query itself takes a sample of them. */
  readonly bySample: boolean;
}

/** Notes that an answer counts rows by their weights. Evaluations that were reported together are not sampled: all of them are known. */
export function noteSampled({ plan, weight, weighs }: Relation, { sampled }: Pick<Context, 'sampled'>): void {
  if (weight === undefined || weighs === 'evaluations' || sampled.some((rows) => rows.plan === plan)) return;
  sampled.push({ plan, weight, bySample: weighs === 'sample' });
}
