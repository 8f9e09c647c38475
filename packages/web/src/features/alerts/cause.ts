import type { AlertExplanation } from './queries.ts';

/** The first cause of an alert in one line, else the last change before it. Null if nothing stands out. */
export function causeOf({ why, changes, window }: Pick<AlertExplanation, 'why' | 'changes' | 'window'>): string | null {
  const [suspect] = why.suspects;
  if (suspect !== undefined) return suspect.sentence;
  const [change] = changes;
  // What was compared without a cause was not the change either.
  if (change === undefined || why.verdict !== 'unknown') return null;
  const minutes = Math.max(0, Math.round((Date.parse(window.to) - Date.parse(change.time)) / 60_000));
  const what = change.kind === 'flag' ? `the flag ${change.name} changed` : `${change.name} got ${change.detail}`;
  return `${minutes === 0 ? 'Just' : `${minutes} min`} before, ${what}${change.environment === null ? '' : ` in ${change.environment}`}`;
}
