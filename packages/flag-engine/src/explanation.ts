import type { Evaluation, Reason } from './evaluation.ts';
import type { Membership } from './membership.ts';
import type { HashName, OperatorName, Share } from './ruleset.ts';

/** The result of one step of an evaluation; steps after the one that decided are not reached. */
export type StepResult = 'matched' | 'not_matched' | 'not_reached';

/** The steps of an evaluation, in order; see `explain`. */
export interface Explanation {
  readonly evaluation: Evaluation;
  readonly decided_by: 'off' | 'prerequisite' | 'target' | 'rule' | 'fallthrough' | 'error';
  readonly prerequisites: readonly PrerequisiteExplanation[];
  readonly targets: readonly TargetExplanation[];
  readonly rules: readonly RuleExplanation[];
  readonly fallthrough: FallthroughExplanation;
}

export interface PrerequisiteExplanation {
  readonly flag: string;
  /** Variants that meet it. */
  readonly variants: readonly string[];
  readonly result: StepResult;
  /** What the flag serves to this context; absent if it was not reached, null if it does not exist. */
  readonly served?: { readonly variant: string | null; readonly reason: Reason } | null;
  readonly why: string;
}

export interface TargetExplanation {
  readonly variant: string;
  readonly attribute: string;
  /** How many values the target lists. */
  readonly size: number;
  readonly result: StepResult;
}

export interface RuleExplanation {
  readonly id: string;
  readonly description?: string;
  readonly result: StepResult;
  /** All clauses of a rule that was reached, also those after the first that did not match. */
  readonly clauses: readonly ClauseExplanation[];
  /** The shares of a rule that was reached and has some. */
  readonly shares?: readonly ShareExplanation[];
  readonly rollout?: RolloutExplanation;
}

/** Whether a share admitted the unit. */
export interface ShareExplanation {
  readonly bucket_by: string;
  readonly hash: HashName;
  readonly unit: string | null;
  /** Position of the unit on [0, 1]; null without a unit. */
  readonly bucket: number | null;
  /** In 100000ths of the line. */
  readonly ranges: Share['ranges'];
  readonly matched: boolean;
}

export interface ClauseExplanation {
  readonly attribute?: string;
  readonly op: OperatorName;
  readonly negate: boolean;
  /** How many values the clause lists. */
  readonly size: number;
  /** The attribute's value as JSON text, truncated to 200 characters; absent if it is missing or not read. */
  readonly actual?: string;
  readonly matched: boolean;
  /** One sentence for people. */
  readonly why: string;
  /** For `in_segment`. */
  readonly segments?: readonly SegmentExplanation[];
}

export type SegmentExplanation = { readonly key: string } & (
  | Membership
  | { readonly matched: false; readonly because: 'error'; readonly message: string }
);

export interface FallthroughExplanation {
  readonly result: StepResult;
  readonly rollout?: RolloutExplanation;
}

export interface RolloutExplanation {
  /** Attributes or JSON pointers that identify a unit, in the order of use. */
  readonly bucket_by: string;
  readonly hash: HashName;
  /** Null if the context has no usable value. */
  readonly unit: string | null;
  /** Position of the unit on [0, 1]; null without a unit. */
  readonly bucket: number | null;
  readonly tracked: boolean;
  readonly weights: readonly {
    readonly variant: string;
    readonly weight: number;
    /** The variant's range on [0, 1]: from `from`, below `to`. */
    readonly from: number;
    readonly to: number;
    readonly chosen: boolean;
  }[];
}
