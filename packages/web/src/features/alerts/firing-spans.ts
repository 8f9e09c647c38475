import { toneOf } from '../../alerting/states.ts';

export interface FiringSpan {
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly tone: 'firing' | 'pending';
}

/** The times during which an instance was pending or firing; one that has not ended lasts until `end` (epoch milliseconds). */
export function firingSpans(
  transitions: readonly { readonly state: string; readonly at: string }[],
  end: number,
): FiringSpan[] {
  const spans: FiringSpan[] = [];
  transitions.forEach(({ state, at }, index) => {
    const tone = toneOf(state);
    if (tone !== 'firing' && tone !== 'pending') return;
    const from = Date.parse(at);
    const next = transitions[index + 1];
    const to = next === undefined ? end : Date.parse(next.at);
    const last = spans.at(-1);
    // Recovering is firing still.
    if (last !== undefined && last.tone === tone && last.to === from) spans[spans.length - 1] = { ...last, to };
    else spans.push({ from, to, tone });
  });
  return spans;
}
