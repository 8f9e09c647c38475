import type { Stage } from '../syntax/ast.ts';
import type { Context } from './context.ts';
import type { Relation } from './relation.ts';

/** Notes that an answer counts rows by their weights. Evaluations that were reported together are not sampled: all of them are known. */
export function noteSampled(
  { plan, weight, weighs }: Relation,
  { sampled }: Pick<Context, 'sampled'>,
  stage?: Stage,
): void {
  if (weight === undefined || weighs === 'evaluations' || sampled.some((rows) => rows.plan === plan)) return;
  sampled.push({ plan, weight, bySample: weighs === 'sample', stage });
}

/** Takes back what a stage has noted, since a later stage counts its rows together with others. */
export function forgetSampled({ sampled }: Pick<Context, 'sampled'>, stage: Stage): void {
  const others = sampled.filter((rows) => rows.stage !== stage);
  sampled.splice(0, sampled.length, ...others);
}
