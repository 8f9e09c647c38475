import type { FlagKind, FlagMetadata, HashName, JsonValue, ReadAs } from '../ruleset.ts';

/*
 * Input before validation: like a ruleset, but an operator may be any text, ids and salts are missing, and both or
 * neither of `variant` and `rollout` may be set.
 */

export interface ServeDraft {
  /** Null: nothing is served, and the caller's default applies. */
  readonly variant?: string | null | undefined;
  readonly rollout?: RolloutDraft | undefined;
}

export interface BucketingDraft {
  readonly bucket_by?: string | undefined;
  readonly context_kind?: string | undefined;
  readonly fallback_bucket_by?: readonly string[] | undefined;
  readonly hash?: HashName | undefined;
  readonly seed?: string | undefined;
  readonly buckets?: number | undefined;
}

export interface WeightDraft {
  readonly variant: string;
  readonly weight: number;
  readonly untracked?: boolean | undefined;
}

export interface RolloutDraft extends BucketingDraft {
  readonly weights: readonly WeightDraft[];
  readonly tracked?: boolean | undefined;
  readonly missing?: 'first' | 'skip' | undefined;
  /** The layout of the variants on the line, if not in the order of `weights`; see `layoutAfter`. */
  readonly layout?: readonly WeightDraft[] | undefined;
}

export interface ShareDraft extends BucketingDraft {
  readonly seed: string;
  readonly ranges: readonly (readonly [number, number])[];
  readonly missing?: 'in' | 'out' | undefined;
}

export interface ClauseDraft {
  readonly attribute?: string | undefined;
  readonly op: string;
  readonly values: readonly unknown[];
  readonly negate?: boolean | undefined;
  readonly context_kind?: string | undefined;
  readonly ignore_case?: boolean | undefined;
  readonly as?: ReadAs | undefined;
}

export interface RuleDraft extends ServeDraft {
  readonly id?: string | undefined;
  readonly description?: string | undefined;
  readonly clauses: readonly ClauseDraft[];
  readonly shares?: readonly ShareDraft[] | undefined;
}

export interface TargetDraft {
  readonly variant: string;
  readonly values: readonly string[];
  readonly attribute?: string | undefined;
  readonly context_kind?: string | undefined;
}

/** One environment's configuration of a flag. */
export interface TargetingDraft {
  readonly enabled: boolean;
  /** Null: nothing is served while the flag is off. */
  readonly off_variant: string | null;
  readonly fallthrough: ServeDraft;
  readonly targets: readonly TargetDraft[];
  readonly rules: readonly RuleDraft[];
}

/** The properties of a flag in all environments. */
export interface FlagDraft {
  readonly kind: FlagKind;
  readonly variants: readonly { readonly key: string; readonly value: JsonValue }[];
  readonly metadata?: FlagMetadata | undefined;
}

export interface SegmentDraft {
  readonly included: readonly string[];
  readonly excluded: readonly string[];
  readonly rules: readonly SegmentRuleDraft[];
}

export interface SegmentRuleDraft {
  readonly clauses: readonly ClauseDraft[];
  readonly shares?: readonly ShareDraft[] | undefined;
}

/** The keys that exist: a Set, or a Map by key. */
export interface Keys {
  has(key: string): boolean;
}
