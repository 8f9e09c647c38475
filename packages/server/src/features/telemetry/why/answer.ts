import type { Change } from './input.ts';

/** What a suspect is. Two values of an attribute mean both together. */
export type What =
  | { readonly kind: 'attribute'; readonly values: readonly FieldValue[] }
  | { readonly kind: 'flag'; readonly flag: string; readonly variant: string }
  | { readonly kind: 'deploy'; readonly service: string; readonly version: string }
  | { readonly kind: 'log_pattern' | 'error'; readonly name: string; readonly ids: readonly string[] };

export interface FieldValue {
  readonly field: string;
  readonly value: string;
}

export interface Suspect {
  readonly what: What;
  /** Share of selected items among those exposed to it, and among those that they are compared with. */
  readonly rates: { readonly exposed: number; readonly others: number };
  /** Difference of the rates with Newcombe's interval of 95 %, −1 to 1. */
  readonly effect: { readonly value: number; readonly interval: readonly [number, number] };
  /** Share of the selected items since the onset that would be missing at the rate of the others, 0 to 1. */
  readonly explains: number;
  /** What changed just before the onset, by which it leads. */
  readonly change: Change | undefined;
  /** True if its items were selected as often before the onset, so that it did not cause the onset. */
  readonly standing: boolean;
  /** Likelihood ratio statistic plus twice the logarithm of its prior odds. Suspects compare by it within one answer only. */
  readonly score: number;
  /** Other names of the same items. */
  readonly also: readonly What[];
}

export interface Onset {
  readonly atMs: number;
  /** Interval of 95 %. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Share of selected items before and after. */
  readonly before: number;
  readonly after: number;
}

/**
 * - `defines`: the condition of the selection names it
 * - `outcome`: a semantic convention says that it describes how the operation ended
 * - `consequence`: only selected items have it
 * - `nearly_unique`: most of its items have a value that too few items share
 */
export type FoldReason = 'defines' | 'outcome' | 'consequence' | 'nearly_unique';

export interface Why {
  readonly verdict: 'suspects' | 'no_cause';
  /** When the share of selected items rose; undefined if it did not, or the condition names the time. */
  readonly onset: Onset | undefined;
  /** The best first. */
  readonly suspects: readonly Suspect[];
  readonly folded: readonly { readonly name: string; readonly because: FoldReason }[];
}
