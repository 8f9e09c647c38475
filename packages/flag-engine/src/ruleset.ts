/**
 * The ruleset: what one environment of one project serves, as it is delivered to SDKs
 * (`GET /api/v1/sdk/flags/ruleset`, and the `put` event of the stream), written to an SDK's disk, and compiled by
 * this engine on the server, in SDKs and in the web application's flag tester. All three read exactly these shapes,
 * so a change here is a change of the wire format: add optional fields, never change or remove one.
 *
 * Names are snake_case, as everywhere under `/api/v1`. Inside an evaluation context the keys are the caller's own.
 */

/** Any value that JSON can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** What a clause compares with: JSON's scalars without null, since null means "no value". */
export type Scalar = string | number | boolean;

/**
 * Everything that one environment serves, immutable. A newer state is another ruleset with a greater `version`.
 * A flag or segment that is archived or deleted is absent.
 */
export interface Ruleset {
  /** Integer, +1 per effective change of anything in the ruleset. */
  readonly version: number;
  /** Key of the environment. */
  readonly environment: string;
  /** Key of the project. */
  readonly project: string;
  /** By flag key. */
  readonly flags: Readonly<Record<string, Flag>>;
  /** By segment key. */
  readonly segments: Readonly<Record<string, Segment>>;
}

/**
 * The step from one version of a ruleset to a newer one, as the stream's `patch` event carries it. A flag or segment
 * that is named replaces the one of that key whole; `null` removes it; what is not named stays.
 */
export interface RulesetPatch {
  /** Version of the ruleset after the patch. */
  readonly version: number;
  readonly flags?: Readonly<Record<string, Flag | null>>;
  readonly segments?: Readonly<Record<string, Segment | null>>;
}

export type FlagKind = 'boolean' | 'string' | 'number' | 'json';

/** One flag as one environment serves it. Variants are named by key everywhere, never by position. */
export interface Flag {
  readonly key: string;
  /** The type of every variant's value. */
  readonly kind: FlagKind;
  /** The `flag_version` of answers: integer, +1 per change of what this environment serves for the flag. */
  readonly version: number;
  /** Off serves `off_variant` to everybody, or the caller's default where there is none. */
  readonly enabled: boolean;
  readonly variants: readonly Variant[];
  /**
   * Served while the flag is off, and while a prerequisite is not met. Null serves nothing, and the default in the
   * caller's code holds. An engine from before null was allowed answers `PARSE_ERROR`, which is the caller's default too.
   */
  readonly off_variant: string | null;
  /** Served where neither a target nor a rule matches. */
  readonly fallthrough: Serve;
  /** Individual targets, before all rules. */
  readonly targets: readonly Target[];
  /** In order; the first whose clauses all match decides. */
  readonly rules: readonly Rule[];
  /** Salt of the fallthrough's buckets: one per flag and environment, never changed. */
  readonly salt: string;
  /** All must be met, else the off variant is served. */
  readonly prerequisites: readonly Prerequisite[];
  /** Stands in every answer of the flag, beside what the service itself says there. */
  readonly metadata?: FlagMetadata;
  /** False hides the flag from SDK keys of the kind `client`; it is still evaluated as a prerequisite. */
  readonly client_visible?: boolean;
}

/** What a flag tells beside its value: OpenFeature's flag metadata. */
export type FlagMetadata = Readonly<Record<string, Scalar>>;

export interface Variant {
  readonly key: string;
  readonly value: JsonValue;
}

/** One variant for everybody, or a division of units over variants. Null serves nothing: the caller's default holds. */
export type Serve = { readonly variant: string | null } | { readonly rollout: Rollout };

/**
 * A division of units over variants by the bucket of `bucket_by` (see `bucketValue`). The weights lie one after
 * another on the line from 0 to 1 in the order written, so a variant that grows while no other grows keeps all its
 * units, and a percentage that becomes a ramp or an experiment moves nobody while salt (or seed) and order stay.
 */
export interface Rollout extends Bucketing {
  /** Sum 100000. */
  readonly weights: readonly Weight[];
  /**
   * The buckets of a ramp, a guarded release or an experiment: the answer's reason is `TRACKED_ROLLOUT` and the
   * exposure is kept per unit. A plain percentage leaves it out.
   */
  readonly tracked?: boolean;
  /**
   * What a context without a unit gets. `first`, the default: the first bucket, untracked, and an error where the
   * targeting key is the unit. `skip`: the rule does not match; a fallthrough serves the off variant.
   */
  readonly missing?: 'first' | 'skip';
}

/**
 * How a context is given its place on the line from 0 to 1. `hash` names the product whose assignments are kept; what
 * each of them computes is in `hash/index.ts`.
 */
export interface Bucketing {
  /**
   * Attribute, or JSON pointer to one, whose value is the unit; `targetingKey` when left out. A string or a safe
   * integer buckets; under the hash of another product also other numbers and `true`, as they do there.
   */
  readonly bucket_by?: string;
  /** The part of the context that units are read from; see `kind.ts`. The context as it is when left out. */
  readonly context_kind?: string;
  /** Attributes that are tried, in this order, where `bucket_by` has no usable value. */
  readonly fallback_bucket_by?: readonly string[];
  /** `fanion` when left out: SHA-1, by the formula of LaunchDarkly. */
  readonly hash?: HashName;
  /**
   * What is hashed together with the unit. Left out: the flag's key and salt; under the hash of another product the
   * flag's key alone. Several flags with one seed divide units alike.
   */
  readonly seed?: string;
  /**
   * How many places the line has; every weight ends on one of them (the nearest). Unleash's sum of variant weights,
   * flagd's sum of weights. Left out: 100 for `unleash`, `flagd` and `flagd_v1`, 1000 for `unleash_variants`. Always
   * 1000 for `growthbook_v1` and 10000 for `growthbook_v2`; `fanion` has none, its line is not divided.
   */
  readonly buckets?: number;
}

export type HashName =
  | 'fanion'
  | 'unleash'
  | 'unleash_variants'
  | 'growthbook_v1'
  | 'growthbook_v2'
  | 'flagd'
  | 'flagd_v1';

/**
 * Lets a part of all units pass: a percentage in a segment's rule, the gate before Unleash's variants, GrowthBook's
 * coverage, namespaces and filters. `seed` must be given, so that a share is never the same division as the rollout
 * behind it by accident.
 */
export interface Share extends Bucketing {
  readonly seed: string;
  /** From the first, below the second, in 100000ths of the line. A unit on any of them passes. */
  readonly ranges: readonly (readonly [from: number, to: number])[];
  /** Whether a context without a unit passes; `out` when left out. */
  readonly missing?: 'in' | 'out';
}

/** `weight` of 100000 units get `variant`. The same variant may stand more than once. */
export interface Weight {
  readonly variant: string;
  readonly weight: number;
  /** In a tracked rollout: the part outside of the experiment, served like a plain percentage. */
  readonly untracked?: boolean;
}

/** Serves `variant` to the units in `values`. The first target that holds the value decides. */
export interface Target {
  readonly variant: string;
  readonly values: readonly string[];
  /** Attribute, or JSON pointer to one, that `values` are values of; `targetingKey` when left out. */
  readonly attribute?: string;
  /** The part of the context that the attribute is read from; see `kind.ts`. The context as it is when left out. */
  readonly context_kind?: string;
}

/** Serves something to the contexts that match every clause; without clauses, to all. */
export type Rule = {
  /** Immutable and unique within the flag; reported as `rule_id`. */
  readonly id: string;
  /** Salt of the rule's buckets, as immutable as its id. */
  readonly salt: string;
  readonly description?: string;
  readonly clauses: readonly Clause[];
  /** All must let the unit pass, else the rule does not match. */
  readonly shares?: readonly Share[];
} & Serve;

/** The operators; `operators/` says what each compares. */
export type OperatorName =
  | 'in'
  | 'not_in'
  | 'starts_with'
  | 'ends_with'
  | 'contains'
  | 'matches'
  | 'eq'
  | 'neq'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'before'
  | 'after'
  | 'semver_eq'
  | 'semver_lt'
  | 'semver_lte'
  | 'semver_gt'
  | 'semver_gte'
  | 'semver_caret'
  | 'semver_tilde'
  | 'semver_same_major'
  | 'semver_same_minor'
  | 'exists'
  | 'in_segment'
  | 'cidr'
  | 'in_cidr';

/**
 * One condition: any of the attribute's values (an array has several) compared with any of `values`.
 *
 * A missing attribute (absent or null) matches no comparison, negated or not, as in LaunchDarkly. `not_in` and `neq`
 * are the exact complements of `in` and `eq`, and so do match a missing attribute, as Unleash's NOT_IN does.
 */
export interface Clause {
  /**
   * Name of an attribute of the context, `targetingKey` included; one that starts with `/` is a JSON pointer
   * (RFC 6901) into it. Left out for `in_segment`. `now` is the time of the evaluation, in milliseconds since 1970,
   * unless the context has an attribute of that name.
   */
  readonly attribute?: string;
  /** The part of the context that the attribute is read from; see `kind.ts`. The context as it is when left out. */
  readonly context_kind?: string;
  readonly op: OperatorName;
  /** Segment keys for `in_segment`; empty for `exists`. */
  readonly values: readonly Scalar[];
  readonly negate?: boolean;
  /** Compare texts without regard to upper and lower case. */
  readonly ignore_case?: boolean;
  /**
   * What the attribute is read as before it is compared. `number`: a text that is a decimal number is that number.
   * `text`: numbers and booleans are their JSON text. `version`: a leading `v` is dropped, a number is its text. `size`: an array is the number of its elements, anything else
   * is missing.
   */
  readonly as?: ReadAs;
}

export type ReadAs = 'number' | 'text' | 'version' | 'size';

/** Met when `flag` is on and serves one of `variants` to the same context. */
export interface Prerequisite {
  readonly flag: string;
  readonly variants: readonly string[];
}

/**
 * A named audience. Membership: a targeting key in `included` is in, else one in `excluded` is out, else any rule
 * whose clauses all match lets in. Clauses may name further segments.
 */
export interface Segment {
  readonly key: string;
  /** Integer, +1 per change of the segment. */
  readonly version: number;
  readonly included: readonly string[];
  readonly excluded: readonly string[];
  readonly rules: readonly SegmentRule[];
}

export interface SegmentRule {
  readonly clauses: readonly Clause[];
  /** All must let the unit pass, else the rule does not match. */
  readonly shares?: readonly Share[];
}

/** The sum of a rollout's weights: thousandths of a percent. */
export const TOTAL_WEIGHT = 100_000;

/** The attribute that names the unit in an OpenFeature evaluation context. */
export const TARGETING_KEY = 'targetingKey';
