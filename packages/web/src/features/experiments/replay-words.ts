import { formatPercent } from '../../ui/format/index.ts';
import type { Experiment, Replay } from './queries.ts';

type Replayed = Pick<Experiment, 'replay' | 'state' | 'updated_at' | 'layer'>;

/** Whether the draft was edited after its replay. */
function isOutdated({ replay, updated_at: at }: Replayed): boolean {
  return replay !== null && Date.parse(at) > Date.parse(replay.computed_at);
}

/** Whether the server refuses to start the draft, because its salt divides past units into groups that differ. */
export function isUnlucky(experiment: Replayed): boolean {
  const { replay, state } = experiment;
  return state === 'draft' && replay !== null && !replay.ok && !isOutdated(experiment);
}

/** Whether the experiment can take another salt: those of a layer share one. */
export function canReseed({ layer }: Pick<Replayed, 'layer'>): boolean {
  return layer === null;
}

/** What a replay says about the salt of a draft, and what to do; null without a replay. */
export function replayAnswer(
  experiment: Replayed,
): { readonly kind: 'ok' | 'error' | 'warning' | 'info'; readonly text: string } | null {
  const { replay } = experiment;
  if (replay === null) return null;
  if (isOutdated(experiment))
    return { kind: 'warning', text: 'The draft was edited after this replay. Replay past units again.' };
  const { ok, reason, tried, metrics } = replay;
  if (!ok) return { kind: 'error', text: `The salt is unlucky. ${reason ?? ''} ${wayOut(experiment, tried)}` };
  if (reason !== null) return { kind: 'info', text: reason };
  const unknown = metrics.filter(({ role, p_value: p }) => role === 'goal' && p === null).map(({ name }) => name);
  if (unknown.length > 0)
    return { kind: 'warning', text: `Past units do not show whether the groups differ in ${unknown.join(', ')}.` };
  const salts = tried > 1 ? `, after ${tried} salts were tried` : '';
  return { kind: 'ok', text: `The salt passes${salts}: the replay found no difference between the groups.` };
}

function wayOut(experiment: Replayed, tried: number): string {
  if (!canReseed(experiment)) return 'Experiments of a layer share its salt, so choose another slice of the layer.';
  if (tried > 1) return `None of ${tried} salts passed. Try again, or choose other metrics that decide.`;
  return 'Try another salt before you start.';
}

/** What the experiment will see of a metric in as many days as were replayed. `effect`: the smallest lift of interest. */
export function powerText(
  { power, minimal_effect: smallest }: Pick<Replay['metrics'][number], 'power' | 'minimal_effect'>,
  effect: number,
): string {
  if (power === null) return 'not known: too few past units';
  const chance = `${formatPercent(power)} chance to detect a change of ${formatPercent(effect)}`;
  return smallest === null ? chance : `${chance}; 80% for ${formatPercent(smallest)}`;
}
