/**
 * The ruleset: everything that one environment of one project serves, as delivered to SDKs (`GET
 * /api/v1/sdk/flags/ruleset`, and the `put` event of the stream), written to an SDK's disk, and compiled by this engine
 * on the server, in SDKs and in the web application's flag tester. All three read exactly these shapes, so a change
 * here is a change of the wire format: add optional fields, never change or remove one.
 *
 * Names are snake_case, as everywhere under `/api/v1`. Inside an evaluation context the keys are the caller's own.
 */

/** Any value that JSON can hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** The values of a clause: JSON's scalars without null, since null means "no value". */
export type Scalar = string | number | boolean;

/**
 * Everything that one environment serves, immutable. A newer state is another ruleset with a greater `version`.
 * Archived and deleted flags and segments are absent.
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
 * The step from one version of a ruleset to a newer one, as sent in the stream's `patch` event. A named flag or segment
 * replaces the one with that key completely; `null` removes it; all others stay.
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
  /** The `flag_version` of answers: integer, +1 per change of the flag in this environment. */
  readonly version: number;
  /** Off serves `off_variant` to everybody, or the caller's default if there is none. */
  readonly enabled: boolean;
  readonly variants: readonly Variant[];
  /**
   * Served while the flag is off, and while a prerequisite is not met. Null serves nothing, and the default in the
   * caller's code applies. Engines older than this feature return `PARSE_ERROR`, which also gives the caller's default.
   */
  readonly off_variant: string | null;
  /** Served if neither a target nor a rule matches. */
  readonly fallthrough: Serve;
  /** Individual targets, before all rules. */
  readonly targets: readonly Target[];
  /** In order; the first whose clauses all match decides. */
  readonly rules: readonly Rule[];
  /** Salt of the fallthrough's buckets: one per flag and environment, never changed. */
  readonly salt: string;
  /** All must be met; otherwise the off variant is served. */
  readonly prerequisites: readonly Prerequisite[];
  /** Part of every answer of the flag, together with the service's own fields. */
  readonly metadata?: FlagMetadata;
  /** False hides the flag from SDK keys of the kind `client`; it is still evaluated as a prerequisite. */
  readonly client_visible?: boolean;
}

/** OpenFeature's flag metadata, returned with the value. */
export type FlagMetadata = Readonly<Record<string, Scalar>>;

export interface Variant {
  readonly key: string;
  readonly value: JsonValue;
}

/** One variant for everybody, or a rollout over variants. Null serves nothing: the caller's default applies. */
export type Serve = { readonly variant: string | null } | { readonly rollout: Rollout };

/**
 * Splits units over variants by the bucket of `bucket_by` (see `bucketValue`). The weights follow one another on the
 * line from 0 to 1 in the order written. So a variant that grows while no other grows keeps all its units, and a
 * percentage that becomes a ramp or an experiment moves no unit while salt (or seed) and order stay.
 */
export interface Rollout extends Bucketing {
  /** Sum 100000. */
  readonly weights: readonly Weight[];
  /**
   * The buckets of a ramp, a guarded release or an experiment: the answer's reason is `TRACKED_ROLLOUT`, and exposures
   * of the weights that are not `untracked` are stored per unit. Omitted for a plain percentage.
   */
  readonly tracked?: boolean;
  /** A ramp or a guarded release: the reason is `TRACKED_ROLLOUT` for its untracked weights too. */
  readonly ramp?: boolean;
  /**
   * What a context without a unit gets. `first`, the default: the first bucket, untracked, or an error if the targeting
   * key is the unit. `skip`: the rule does not match; a fallthrough serves the off variant.
   */
  readonly missing?: 'first' | 'skip';
}

/**
 * How a context gets its position on the line from 0 to 1. `hash` names the product whose assignments are kept;
 * `hash/index.ts` contains the algorithms.
 */
export interface Bucketing {
  /**
   * Attribute, or JSON pointer to one, whose value is the unit; `targetingKey` by default. A string or a safe integer
   * identifies a unit; under the hash of another product also other numbers and `true`, as there.
   */
  readonly bucket_by?: string;
  /** The part of the context from which units are read; see `kind.ts`. The whole context by default. */
  readonly context_kind?: string;
  /** Attributes that are tried, in this order, if `bucket_by` has no usable value. */
  readonly fallback_bucket_by?: readonly string[];
  /** Default `fanion`: SHA-1, by the formula of LaunchDarkly. */
  readonly hash?: HashName;
  /**
   * What is hashed together with the unit. Default: the flag's key and salt; under the hash of another product the
   * flag's key alone. Several flags with one seed split units alike.
   */
  readonly seed?: string;
  /**
   * The number of places on the line; every weight ends on the nearest one. It is Unleash's sum of variant weights, and
   * flagd's sum of weights. Default: 100 for `unleash`, `flagd` and `flagd_v1`, 1000 for `unleash_variants`. Always
   * 1000 for `growthbook_v1` and 10000 for `growthbook_v2`. `fanion` has none: its line is continuous.
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
 * Admits a part of all units: a percentage in a segment's rule, the gate before Unleash's variants, GrowthBook's
 * coverage, namespaces and filters. `seed` is required, so that a share never splits units like the rollout after it by
 * accident.
 */
export interface Share extends Bucketing {
  readonly seed: string;
  /** From the first, below the second, in 100000ths of the line. A unit in any of them is admitted. */
  readonly ranges: readonly (readonly [from: number, to: number])[];
  /** Whether a context without a unit is admitted; default `out`. */
  readonly missing?: 'in' | 'out';
}

/** `weight` of 100000 units get `variant`. The same variant may occur more than once. */
export interface Weight {
  readonly variant: string;
  readonly weight: number;
  /** In a tracked rollout, the part outside of the experiment, served like a plain percentage. */
  readonly untracked?: boolean;
}

/** Serves `variant` to the units in `values`. The first target that contains the value decides. */
export interface Target {
  readonly variant: string;
  readonly values: readonly string[];
  /** Attribute, or JSON pointer to one, for `values`; `targetingKey` by default. */
  readonly attribute?: string;
  /** The part of the context from which the attribute is read; see `kind.ts`. The whole context by default. */
  readonly context_kind?: string;
}

/** Serves contexts that match every clause; without clauses, all contexts. */
export type Rule = {
  /** Immutable and unique within the flag; reported as `rule_id`. */
  readonly id: string;
  /** Salt of the rule's buckets, as immutable as its id. */
  readonly salt: string;
  readonly description?: string;
  readonly clauses: readonly Clause[];
  /** All must admit the unit; otherwise the rule does not match. */
  readonly shares?: readonly Share[];
} & Serve;

/** The operators; `operators/` defines them. */
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
 * are the exact complements of `in` and `eq`, so they match a missing attribute, as Unleash's NOT_IN does.
 */
export interface Clause {
  /**
   * Name of an attribute of the context, including `targetingKey`; one that starts with `/` is a JSON pointer (RFC
   * 6901). Omitted for `in_segment`. `now` is the time of the evaluation, in milliseconds since 1970, unless the
   * context has an attribute of that name that is not null.
   */
  readonly attribute?: string;
  /** The part of the context from which the attribute is read; see `kind.ts`. The whole context by default. */
  readonly context_kind?: string;
  readonly op: OperatorName;
  /** Segment keys for `in_segment`; empty for `exists`. */
  readonly values: readonly Scalar[];
  readonly negate?: boolean;
  /** Ignores upper and lower case in texts. */
  readonly ignore_case?: boolean;
  /**
   * How the attribute is converted before the comparison. `number`: a text that is a decimal number is that number.
   * `text`: numbers and booleans are their JSON text. `version`: a leading `v` is dropped, a number is its text.
   * `size`: an array is the number of its elements, anything else is missing.
   */
  readonly as?: ReadAs;
}

export type ReadAs = 'number' | 'text' | 'version' | 'size';

/** Met if `flag` is on and serves one of `variants` to the same context. */
export interface Prerequisite {
  readonly flag: string;
  readonly variants: readonly string[];
}

/**
 * A named audience. Membership: a targeting key in `included` is in; else one in `excluded` is out; else it is in if
 * all clauses of any rule match. Clauses may name further segments.
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
  /** All must admit the unit; otherwise the rule does not match. */
  readonly shares?: readonly Share[];
}

/** The sum of a rollout's weights: thousandths of a percent. */
export const TOTAL_WEIGHT = 100_000;

/** The attribute that names the unit in an OpenFeature evaluation context. */
export const TARGETING_KEY = 'targetingKey';
