import { durationMs } from '../../../platform/durations.ts';
import { type Completeness, completenessOfAll } from '../../../platform/gateway/index.ts';
import { readsOfRule } from '../../telemetry/promql/index.ts';
import { semanticsOf } from './definition-rules.ts';
import type { Evaluate, EvaluatedRule } from './evaluate.ts';
import { type Cost, failureText } from './evaluate.ts';
import { previewSlots } from './preview-rules.ts';
import { slotsOf } from './spread.ts';
import { type Evaluation, type Labels, noState, step, type Transition } from './step-rules.ts';

/** Queries of a preview that run at once; the lane's own limits hold as well. */
const atOnce = 4;
/** Instances that one preview lists. */
const maxListed = 500;

export interface Preview {
  readonly instances: readonly { readonly labels: Labels; readonly transitions: readonly Transition[] }[];
  /** Whether further instances fired that are not listed. */
  readonly truncated: boolean;
  readonly evaluations: number;
  readonly failed: number;
  readonly error: string | null;
  readonly stepMs: number;
  readonly cost: Cost;
  readonly completeness: Completeness;
}

/** Evaluates a rule at its slots of the past, and follows its instances as the runner would have. */
export async function preview(
  evaluate: Evaluate,
  rule: EvaluatedRule,
  { fromMs, toMs, offsetMs }: { fromMs: number; toMs: number; offsetMs: number },
  signal: AbortSignal,
): Promise<Preview> {
  const { definition } = rule;
  const { stepMs, times } = previewSlots(slotsOf(rule.name, durationMs(definition.every)), fromMs, toMs);
  const cost = { queries: 0, rowsRead: 0, bytesRead: 0 };
  const lacked: Completeness[] = [];
  let failed = 0;
  let error: string | null = null;

  async function evaluationAt(slot: number): Promise<Evaluation> {
    const at = slot - offsetMs;
    try {
      const { samples, cost: spent, completeness } = await evaluate(rule, at, signal);
      cost.queries += spent.queries;
      cost.rowsRead += spent.rowsRead;
      cost.bytesRead += spent.bytesRead;
      lacked.push(...completeness);
      return { at, outcome: 'answered', samples, delayed: false };
    } catch (thrown) {
      signal.throwIfAborted();
      failed++;
      error = failureText(thrown);
      return { at, outcome: 'failed' };
    }
  }

  const semantics = { ...semanticsOf(definition, readsOfRule({ ...definition, query: rule.query })), everyMs: stepMs };
  const found = new Map<string, { labels: Labels; transitions: Transition[] }>();
  let state = noState;
  let evaluations = 0;
  let truncated = false;
  for (let i = 0; i < times.length; i += atOnce) {
    for (const evaluation of await Promise.all(times.slice(i, i + atOnce).map(evaluationAt))) {
      evaluations++;
      const stepped = step(semantics, definition, state, evaluation);
      state = stepped.state;
      for (const transition of stepped.transitions) {
        const known = found.get(transition.identity);
        if (known !== undefined) known.transitions.push(transition);
        else if (found.size >= maxListed) truncated = true;
        else {
          const labels = state.instances.get(transition.identity)?.labels ?? {};
          found.set(transition.identity, { labels, transitions: [transition] });
        }
      }
    }
    // All evaluations fail for the same reason: the first ones are enough to say so.
    if (failed > 0 && failed === i + atOnce && failed >= 2 * atOnce) break;
  }
  const completeness = completenessOfAll(lacked);
  return { instances: [...found.values()], truncated, evaluations, failed, error, stepMs, cost, completeness };
}
