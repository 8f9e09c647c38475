import type { Completeness } from '../../../platform/gateway/index.ts';
import { type Evaluate, failureText } from './evaluate.ts';
import { type EvaluateRange, hasRange } from './evaluate-range.ts';
import type { Cost, Evaluated, EvaluatedRule } from './evaluated-rule.ts';
import type { Evaluation } from './step-rules.ts';

/** Queries of a preview that run at once; the lane's own limits hold as well. */
export const atOnce = 4;
/** Evaluations in one query, where a query can answer several. */
const inRange = 60;

/** Evaluates a rule at one time, or at several times with one query. */
export interface Evaluators {
  readonly evaluate: Evaluate;
  readonly evaluateRange: EvaluateRange;
}

/** What evaluations have cost and lack so far. */
export interface Told {
  cost: Cost;
  readonly lacked: Completeness[];
  failed: number;
  /** Of the last one that failed. */
  error: string | null;
}

/** The evaluations of a rule at slots that are `stepMs` apart, in their order, a few at a time. */
export async function* evaluationsAt(
  evaluators: Evaluators,
  rule: EvaluatedRule,
  { times, stepMs }: { readonly times: readonly number[]; readonly stepMs: number },
  told: Told,
  signal: AbortSignal,
): AsyncGenerator<readonly Evaluation[]> {
  let asksRanges = hasRange(rule);
  for (let i = 0; i < times.length; ) {
    const range = { times: times.slice(i, i + inRange), stepMs };
    const together = asksRanges ? await inOneQuery(evaluators, rule, range, told, signal) : undefined;
    // One evaluation may be within limits that several exceed; if it fails as well, it says why.
    asksRanges = together !== undefined;
    const slots = times.slice(i, i + atOnce);
    const next = together ?? (await Promise.all(slots.map((at) => alone(evaluators, rule, at, told, signal))));
    i += next.length;
    yield next;
  }
}

async function inOneQuery(
  { evaluateRange }: Evaluators,
  rule: EvaluatedRule,
  range: { readonly times: readonly number[]; readonly stepMs: number },
  told: Told,
  signal: AbortSignal,
): Promise<readonly Evaluation[] | undefined> {
  try {
    const { samples, ...rest } = await evaluateRange(rule, range, signal);
    count(told, rest);
    return range.times.map((at, i) => ({ at, outcome: 'answered', samples: samples[i] ?? [], delayed: false }));
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

async function alone(
  { evaluate }: Evaluators,
  rule: EvaluatedRule,
  at: number,
  told: Told,
  signal: AbortSignal,
): Promise<Evaluation> {
  try {
    const { samples, ...rest } = await evaluate(rule, at, signal);
    count(told, rest);
    return { at, outcome: 'answered', samples, delayed: false };
  } catch (thrown) {
    signal.throwIfAborted();
    told.failed++;
    told.error = failureText(thrown);
    return { at, outcome: 'failed' };
  }
}

function count(told: Told, { cost, completeness }: Pick<Evaluated, 'cost' | 'completeness'>): void {
  told.cost = {
    queries: told.cost.queries + cost.queries,
    rowsRead: told.cost.rowsRead + cost.rowsRead,
    bytesRead: told.cost.bytesRead + cost.bytesRead,
  };
  told.lacked.push(...completeness);
}
