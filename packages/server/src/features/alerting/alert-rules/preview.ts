import { durationMs } from '../../../platform/durations.ts';
import { type Completeness, completenessOfAll } from '../../../platform/gateway/index.ts';
import { readsOfRule } from '../../telemetry/promql/index.ts';
import { semanticsOf } from './definition-rules.ts';
import type { Cost, EvaluatedRule } from './evaluated-rule.ts';
import { atOnce, type Evaluators, evaluationsAt, type Told } from './preview-evaluations.ts';
import { previewSlots } from './preview-rules.ts';
import { slotsOf } from './spread.ts';
import { type Labels, noState, step, type Transition } from './step-rules.ts';

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
  evaluators: Evaluators,
  rule: EvaluatedRule,
  { fromMs, toMs, offsetMs }: { fromMs: number; toMs: number; offsetMs: number },
  signal: AbortSignal,
): Promise<Preview> {
  const { definition } = rule;
  const { stepMs, times } = previewSlots(slotsOf(rule.name, durationMs(definition.every)), fromMs, toMs);
  const told: Told = { cost: { queries: 0, rowsRead: 0, bytesRead: 0 }, lacked: [], failed: 0, error: null };
  const semantics = { ...semanticsOf(definition, readsOfRule({ ...definition, query: rule.query })), everyMs: stepMs };
  const found = new Map<string, { labels: Labels; transitions: Transition[] }>();
  let state = noState;
  let evaluations = 0;
  let truncated = false;
  const slots = { times: times.map((slot) => slot - offsetMs), stepMs };
  for await (const next of evaluationsAt(evaluators, rule, slots, told, signal)) {
    for (const evaluation of next) {
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
    if (told.failed === evaluations && told.failed >= 2 * atOnce) break;
  }
  const { cost, lacked, failed, error } = told;
  const completeness = completenessOfAll(lacked);
  return { instances: [...found.values()], truncated, evaluations, failed, error, stepMs, cost, completeness };
}
