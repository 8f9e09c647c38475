import { type Compiled, readsOf } from '@fanion/oql';

/** What a text needs to be known before it is compiled. */
export interface Needs {
  readonly metrics: readonly string[];
  /** Metrics whose roll-ups it can be answered from. */
  readonly rolledUp: readonly string[];
  /** How long before its window it reads, in nanoseconds. */
  readonly beforeNs: bigint;
}

/** As far as its text says. */
export function needsOfText(text: string): Needs {
  return { metrics: readsOf(text)?.metrics ?? [], rolledUp: [], beforeNs: 0n };
}

/** What it turned out to need: to be known when it is asked again. */
export function needsOfPlan({ metrics, rollUps, reach }: Compiled, window: { readonly fromNs: bigint }): Needs {
  return {
    metrics,
    rolledUp: [...new Set(rollUps.map(({ metric }) => metric))],
    beforeNs: reach.fromNs < window.fromNs ? window.fromNs - reach.fromNs : 0n,
  };
}
