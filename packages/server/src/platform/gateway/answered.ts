import { bindChanges, type Compiled } from '@fanion/oql';
import type { Shard } from '../clickhouse/index.ts';
import type { TelemetryScope } from '../scoped-telemetry.ts';
import { countAnchorless } from './answer/anchorless.ts';
import { keyOf } from './answer/cache-key.ts';
import { completenessOf, signalsRead } from './answer/completeness-rules.ts';
import { askedFor, type KnownAnswer, type Parts, planWith } from './parts.ts';
import { changesOf } from './plan/changes.ts';
import type { Asked, Planned } from './plan/planner.ts';
import { refuseEndless, secondsLeft } from './plan/quantile-cost.ts';
import type { Budget, JsonAnswer, Question } from './question.ts';
import { leavingOut, warningsOf } from './run/shards-away.ts';
import { runFromMemory, runStatement } from './run/statement.ts';

export type Form = 'values' | 'json';

/** Plans, and asks the cache, recent points or the store. */
export async function answered(
  parts: Parts,
  scope: TelemetryScope,
  question: Question,
  budget: Budget,
  form: Form,
): Promise<JsonAnswer> {
  const { planner, options, lookup, limits, cache } = parts;
  const { clock, hiddenPlaces } = options;
  const { maxAgeMs = 0, signal } = budget;
  const moment = clock.now();
  const asked = askedFor(parts, scope, question, signal);
  const planned = await planner.plan(asked);
  const changes = await changesOf(planned.plan, question, signal);
  const plan = bindChanges(planned.plan, changes.rows);
  const begun = clock.now();
  await refuseEndless(lookup, scope, plan, { ...limits, ...budget.limits }, signal);
  const maxSeconds = secondsLeft({ ...limits, ...budget.limits }, (clock.now() - begun) / 1000);

  const bound = { asked, planned, plan, changes: changes.rows, moment, maxSeconds };
  const answerNow = (signal: AbortSignal) => freshAnswer(parts, scope, question, { ...budget, signal }, bound, form);
  const key = async () => keyOf(scope, question, plan, form, await hiddenPlaces.of(scope.workspace));
  const { value, ageMs } =
    maxAgeMs === 0
      ? { value: await answerNow(signal), ageMs: 0 }
      : await cache.get(await key(), maxAgeMs, signal, answerNow);
  const { rows, truncated, cost, warnings } = value;
  return {
    plan: { ...plan, warnings },
    columns: plan.columns,
    kind: plan.kind,
    rows,
    truncated,
    cost,
    completeness: completenessOf(plan, value),
    warnings: changes.warnings,
    ageMs,
  };
}

interface Bound {
  readonly asked: Asked;
  readonly planned: Planned;
  /** With the changes that it reads. */
  readonly plan: Compiled;
  readonly changes: Parameters<typeof bindChanges>[1];
  /** When the question was asked. */
  readonly moment: number;
  /** What is left for the statement. */
  readonly maxSeconds: number;
}

/** Asks recent points, or else the store. */
async function freshAnswer(
  { reads, planner, lookup, sampledShareOf, options }: Parts,
  scope: TelemetryScope,
  question: Question,
  budget: Budget,
  { asked, planned, plan, changes, moment, maxSeconds }: Bound,
  form: Form,
): Promise<KnownAnswer> {
  const { answers, recent, unstored } = options;
  const { signal, lane } = budget;
  const within = { ...budget, limits: { ...budget.limits, maxSeconds } };
  // Before the statement begins: what it does not find is among this.
  const missing = await unstored(scope, signalsRead(plan));
  const fromMemory = await runFromMemory(reads, recent, scope, plan, question.limit, budget);
  // Recent points answer only where each series has an anchor, and are not sampled.
  if (fromMemory)
    return { ...fromMemory, missingAnchors: 0, sampledShare: 1, warnings: plan.warnings, unstored: missing };
  const { value, plan: final } = await planner.answer({ ...asked, signal }, planned, moment, async (one) => {
    const plan = bindChanges(one.plan, changes);
    const read = form === 'json' ? answers.read : answers.readValues;
    const [answer, missingAnchors, sampledShare] = await Promise.all([
      runStatement(reads, scope, { ...one, plan }, question.limit, within, read),
      // Alert rules have no use for these.
      lane === 'alert' ? null : countAnchorless(lookup, scope, plan, signal),
      lane === 'alert' ? null : sampledShareOf(scope, plan, signal),
    ]);
    return { ...answer, missingAnchors, sampledShare };
  });
  return { ...value, warnings: final.warnings, unstored: missing };
}

/** The answer of the other shards. What is known of the store comes from all of them, so nothing is assumed; and it is not cached. */
export async function answeredWithout(
  parts: Parts,
  away: readonly Shard[],
  scope: TelemetryScope,
  question: Question,
  budget: Budget,
  form: Form,
): Promise<JsonAnswer> {
  const { answers, unstored, compiler } = parts.options;
  const { plan, warnings } = await planWith(parts, compiler, scope, question, budget.signal);
  const missing = await unstored(scope, signalsRead(plan));
  const read = form === 'json' ? answers.read : answers.readValues;
  const statement = { plan: leavingOut(plan, away), areTexts: false };
  const { rows, truncated, cost } = await runStatement(parts.reads, scope, statement, question.limit, budget, read);
  const lacking = { unstored: missing, missingAnchors: null, sampledShare: null, shardsAway: away.length };
  return {
    plan,
    columns: plan.columns,
    kind: plan.kind,
    rows,
    truncated,
    cost,
    completeness: completenessOf(plan, lacking),
    warnings: [...warnings, ...warningsOf(away)],
    ageMs: 0,
  };
}
