import type { Context } from './context.ts';
import type { Relation } from './relation.ts';

/** Notes that an answer counts rows by their weights. Evaluations that were reported together are not sampled: all of them are known. */
export function noteSampled({ plan, weight, weighs }: Relation, { sampled }: Pick<Context, 'sampled'>): void {
  if (weight === undefined || weighs === 'evaluations' || sampled.some((rows) => rows.plan === plan)) return;
  sampled.push({ plan, weight, bySample: weighs === 'sample' });
}
