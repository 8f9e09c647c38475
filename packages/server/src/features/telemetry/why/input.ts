/**
 * What "why" is asked of: a sample of items (traces, or rows), some of which are selected (that failed, are slow, …).
 * All arrays that belong to items have one entry per item.
 */
export interface WhyInput {
  readonly items: Items;
  readonly attributes: readonly Column[];
  /** A column per flag: the variant that the item's trace saw. Items whose trace did not evaluate the flag have none. */
  readonly flags: readonly Column[];
  readonly changes: readonly Change[];
  readonly novelties: readonly Novelty[];
  /** Names of the fields in the condition of the selection, in every spelling; `time` among them stops the search for an onset. */
  readonly defining: ReadonlySet<string>;
}

export interface Items {
  readonly count: number;
  /** 1: selected, 0: baseline. */
  readonly selected: Uint8Array;
  /** Milliseconds since 1970. */
  readonly timeMs: Float64Array;
  /** How many real items each stands for; they scale effects, not tests. */
  readonly weights: Float64Array;
}

export interface Column {
  readonly name: string;
  readonly values: readonly string[];
  /** Index into `values` of each item; −1: the item has none. */
  readonly codes: Int32Array;
}

export type Change =
  | { readonly kind: 'deploy'; readonly service: string; readonly version: string; readonly atMs: number }
  | { readonly kind: 'flag'; readonly flag: string; readonly detail: string; readonly atMs: number };

/** A log pattern or an error that was not seen before the time of the items. */
export interface Novelty {
  readonly kind: 'log_pattern' | 'error';
  readonly name: string;
  /** The shapes of a log pattern, the most frequent ones, or the id of an error. */
  readonly ids: readonly string[];
  /** 1: the item's trace has it. */
  readonly present: Uint8Array;
}
