import type { EvaluationContext } from './evaluation.ts';
import type { HashPrefix } from './hash/sha1.ts';
import type { KeySet } from './key-set.ts';
import type { Outcome } from './outcome.ts';
import type { Clause, Flag, Prerequisite, Rollout, Rule, SegmentRule, Share } from './ruleset.ts';

/** Reads one attribute of the context of an evaluation; undefined if it is absent. */
export type AttributeReader = (scope: Scope) => unknown;

/** Whether the context of an evaluation matches a clause, or all clauses of a rule. */
export type Test = (scope: Scope) => boolean;

/**
 * A ruleset ready for evaluation, immutable. Flags and segments refer to each other by key only, so that each can be
 * replaced without compiling another again.
 */
export interface CompiledRuleset {
  readonly version: number;
  readonly environment: string;
  readonly project: string;
  /** OpenFeature's `flagSetId`, in the metadata of OFREP answers. */
  readonly flagSetId: string;
  /** The value of `now`, in milliseconds since 1970; without it the attribute is missing. */
  readonly clock: (() => number) | undefined;
  /** All flags by key, for prerequisites; clients see only the part in `flags`. */
  readonly required: ReadonlyMap<string, CompiledFlag>;
  /** In the order of their keys, which is the order of bulk answers. */
  readonly flags: ReadonlyMap<string, CompiledFlag>;
  readonly segments: ReadonlyMap<string, CompiledSegment>;
}

/** A flag ready for evaluation, with every answer that it can give. */
export interface CompiledFlag {
  readonly key: string;
  readonly version: number;
  /** As delivered. */
  readonly source: Flag;
  readonly plan: FlagPlan | MalformedPlan;
  readonly flagSetId: string;
}

/** A flag that cannot be compiled answers every evaluation with this error. */
export interface MalformedPlan {
  readonly malformed: Outcome;
}

export interface FlagPlan {
  readonly malformed?: undefined;
  readonly enabled: boolean;
  readonly off: Outcome;
  readonly prerequisiteFailed: Outcome;
  readonly prerequisites: readonly CompiledPrerequisite[];
  /** The answer of the first target that names the context's unit; undefined without targets. */
  readonly target: TargetTest | undefined;
  readonly rules: readonly CompiledRule[];
  readonly fallthrough: CompiledServe;
  /** The answer if the fallthrough skips a context without a unit. */
  readonly skipped: Outcome;
}

export interface CompiledPrerequisite {
  readonly source: Prerequisite;
  readonly variants: ReadonlySet<string>;
}

export type TargetTest = (scope: Scope) => TargetMatch | undefined;

export interface TargetMatch {
  /** Index of the target in the flag's list. */
  readonly index: number;
  readonly outcome: Outcome;
}

export interface CompiledRule {
  readonly source: Rule;
  readonly clauses: readonly CompiledClause[];
  readonly shares: readonly CompiledShare[];
  /** Clauses and shares. */
  readonly test: Test;
  readonly serve: CompiledServe;
}

/** One outcome for everybody, or one per bucket. */
export type CompiledServe =
  | { readonly fixed: Outcome; readonly rollout?: undefined }
  | { readonly fixed?: undefined; readonly rollout: CompiledRollout };

export interface CompiledRollout {
  readonly source: Rollout;
  readonly bucketing: CompiledBucketing;
  /** Ends of the buckets: a unit gets the outcome at the index of the first end above its place. */
  readonly ends: readonly number[];
  readonly outcomes: readonly Outcome[];
  /** The answer for a context without a unit; undefined if the rule is then skipped, or if that is an error. */
  readonly whenMissing: Outcome | undefined;
  /** A context without a unit is an error: the targeting key is the unit, and `missing` is not set. */
  readonly unitRequired: boolean;
}

/** How units are read from a context, and their place on the line. */
export interface CompiledBucketing {
  /** Attributes that the unit is read from: the first with a usable value. */
  readonly sources: readonly UnitSource[];
  readonly unit: (scope: Scope) => string | undefined;
  /** For the usual rollout by our own hash of the targeting key, which `rolloutOutcome` handles in a fast path. */
  readonly ofTargetingKey: HashPrefix | undefined;
  /** From 0 to `places`. */
  readonly place: (unit: string) => number;
  /** The number of places on the line; 1 if it is continuous. */
  readonly places: number;
  /** Converts a position in 100000ths of the line to places. */
  readonly end: (weight: number) => number;
}

export interface UnitSource {
  readonly attribute: string;
  readonly unit: (scope: Scope) => string | undefined;
}

/** A share with its test; the source is kept to explain it. */
export interface CompiledShare {
  readonly source: Share;
  readonly bucketing: CompiledBucketing;
  readonly test: Test;
}

/** A clause with its test; the source is kept to explain it. */
export interface CompiledClause {
  readonly source: Clause;
  /** Absent for `in_segment`. */
  readonly read: AttributeReader | undefined;
  readonly test: Test;
}

/** A segment ready for look-ups. Its lists may hold a million keys: see `KeySet`. */
export interface CompiledSegment {
  readonly key: string;
  readonly version: number;
  readonly included: KeySet;
  readonly excluded: KeySet;
  readonly rules: readonly Test[];
  readonly ruleSources: readonly SegmentRule[];
  /** Names further segments, so membership is remembered during an evaluation and cycles are watched for. */
  readonly nested: boolean;
  /** Why it cannot be compiled; evaluations that need the segment then return `PARSE_ERROR`. */
  readonly malformed: string | undefined;
}

/**
 * The state of one call into the engine. Prerequisites and nested segments that are reached by several paths are
 * decided once per call (otherwise a lattice of them would take exponential time). An entry without a result is still
 * being decided: reaching it again is a cycle.
 */
export interface Scope {
  readonly ruleset: CompiledRuleset;
  readonly context: EvaluationContext;
  /** The targeting key, when it is a string that can name a unit. */
  readonly unit: string | undefined;
  /** Position on [0, 1] of the unit in the last decided rollout. */
  bucket: number;
  /** The time at its first use. */
  now: number | undefined;
  /** Regex work left, in instructions × characters. */
  regexSteps: number;
  decided: Map<CompiledFlag, Decided | undefined> | undefined;
  memberships: Map<CompiledSegment, boolean | undefined> | undefined;
}

export interface Decided {
  readonly outcome: Outcome;
  readonly bucket: number;
}
