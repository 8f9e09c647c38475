import type { Clock } from '../../../platform/clock.ts';
import { durationMs } from '../../../platform/durations.ts';
import { Failure } from '../../../platform/fail.ts';
import type { Completeness, Gateway } from '../../../platform/gateway/index.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { PromqlEvaluator } from '../../telemetry/promql/index.ts';
import { createBurn } from './burn.ts';
import type { Cost, Evaluated, EvaluatedRule } from './evaluated-rule.ts';
import { createPromqlRows, type EvaluationLimits } from './promql-rows.ts';
import { changesOf, conditionOf, type Row, rowsOf, type Shape, samplesOf, shapeOf } from './sample-rules.ts';
import { type Ask, createSharedAnswers, type SharedAnswer } from './shared-answers.ts';
import { requireDistinct, Unanswerable } from './unanswerable.ts';

export type { Cost, Evaluated, EvaluatedRule } from './evaluated-rule.ts';
export { Unanswerable } from './unanswerable.ts';

export type Evaluate = (rule: EvaluatedRule, atMs: number, signal: AbortSignal) => Promise<Evaluated>;

interface EvaluateOptions {
  readonly gateway: Gateway;
  readonly promql: Pick<PromqlEvaluator, 'evaluate'>;
  readonly lane: 'alert' | 'background';
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: EvaluationLimits;
}

/**
 * Asks the query of a rule for the window that ends at `atMs`.
 * Throws `Unanswerable` if no rule can use the answer, and what the gateway throws.
 */
export function createEvaluate({ gateway, promql, lane, db, clock, limits }: EvaluateOptions): Evaluate {
  const { instances, querySeconds } = limits;
  const burn = createBurn({ telemetry: gateway.lane(lane), db });
  // Only the runner's questions end together, by one signal.
  const share = lane === 'alert' ? createSharedAnswers({ clock }) : undefined;

  async function oqlRows(
    { query, scope, definition, variant, together }: EvaluatedRule,
    toMs: number,
    signal: AbortSignal,
  ): Promise<Asked> {
    const window = { fromNs: nanoseconds(toMs - durationMs(definition.window)), toNs: nanoseconds(toMs) };
    const ask: Ask = (oql, limit, params) =>
      gateway.ask(
        scope,
        { oql, window, limit, ...(params && { params }) },
        { lane, signal, limits: { maxSeconds: querySeconds } },
      );
    const answer = share
      ? await share({ scope, query, ...window, limit: instances, variant, together: together?.() ?? [] }, ask)
      : await ask(query, instances).then((alone) => ({ ...alone, keys: alone.plan.keys }));
    const shape = requireShape(answer);
    if (answer.truncated)
      throw new Unanswerable(
        `The query returns more than ${instances} rows. Group by fewer keys, or keep only the rows that matter with \`top\`.`,
      );
    const rows = requireDistinct(rowsOf(shape, answer.columns, answer.rows, definition.labels));
    return { rows, cost: answer.cost, completeness: answer.completeness };
  }

  const promqlRowsAt = createPromqlRows({ promql, lane, db, clock, limits: { instances, querySeconds } });

  async function promqlRows(rule: EvaluatedRule, atMs: number, signal: AbortSignal): Promise<Asked> {
    const { rowsAt, completeness } = await promqlRowsAt(rule, { start: atMs, end: atMs, step: 0 }, signal);
    return { rows: rowsAt(atMs), cost: { rowsRead: 0, bytesRead: 0 }, completeness };
  }

  const rowsAt = (rule: EvaluatedRule, toMs: number, signal: AbortSignal) =>
    (rule.definition.query_language === 'promql' ? promqlRows : oqlRows)(rule, toMs, signal);

  return async (rule, atMs, signal) => {
    const { kind, change, labels } = rule.definition;
    if (rule.definition.burn !== undefined) {
      const samples = await burn(rule.scope, rule.definition.burn, labels, atMs, signal);
      return { samples, cost: costOf(), completeness: [] };
    }
    const now = await rowsAt(rule, atMs, signal);
    if (kind !== 'change' || change === null) {
      const samples = samplesOf(conditionOf(rule.definition), now.rows, labels);
      return { samples, cost: costOf(now), completeness: lackedBy(now) };
    }
    const before = await rowsAt(rule, atMs - durationMs(change.ago), signal);
    const rows = changesOf(change.as, now.rows, before.rows);
    return {
      samples: samplesOf(conditionOf(rule.definition), rows, labels),
      cost: costOf(now, before),
      completeness: lackedBy(now, before),
    };
  };
}

/** An answer by instance, and what it cost. */
interface Asked {
  readonly rows: readonly Row[];
  /** Of PromQL, rows and bytes are not counted. */
  readonly cost: Omit<Cost, 'queries'>;
  readonly completeness: Completeness | undefined;
}

/** Throws `Unanswerable` for a query whose answers are not one number per row. */
export function requireShape({ keys, columns }: Pick<SharedAnswer, 'keys' | 'columns'>): Shape {
  if (keys === null)
    throw new Unanswerable(
      'The query returns single rows. End it with an aggregate, as in `stats value=count() by service.name`.',
    );
  const shape = shapeOf(columns, keys);
  switch (shape) {
    case 'time':
      throw new Unanswerable(
        'The query groups by time. Leave `bucket(…)` out: an alert rule asks for one number per instance each time.',
      );
    case 'no_number':
      throw new Unanswerable('The query returns no number. Add an aggregate, as in `stats value=count()`.');
    case 'several_numbers':
      throw new Unanswerable('The query returns several numbers. Name the one that the rule is about `value`.');
    default:
      return shape;
  }
}

function lackedBy(...answers: readonly Pick<Asked, 'completeness'>[]): readonly Completeness[] {
  return answers.flatMap(({ completeness }) => completeness ?? []);
}

function costOf(...answers: readonly Pick<Asked, 'cost'>[]): Cost {
  return {
    queries: answers.length,
    rowsRead: answers.reduce((sum, { cost }) => sum + cost.rowsRead, 0),
    bytesRead: answers.reduce((sum, { cost }) => sum + cost.bytesRead, 0),
  };
}

/** What the owner of a rule reads about an evaluation that failed. */
export function failureText(error: unknown): string {
  return error instanceof Unanswerable || error instanceof Failure
    ? error.message
    : 'The query failed; the server log has more.';
}

/** Whether the same question may be answered a moment later. */
export function mayPass(error: unknown): boolean {
  if (error instanceof Unanswerable) return false;
  return !(error instanceof Failure) || error.status >= 429;
}

function nanoseconds(ms: number): bigint {
  return BigInt(ms) * 1_000_000n;
}
