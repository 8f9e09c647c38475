import type { EvaluationContext } from './evaluation.ts';
import type { HashPrefix } from './hash/sha1.ts';
import type { KeySet } from './key-set.ts';
import type { Outcome } from './outcome.ts';
import type { Clause, Flag, Prerequisite, Rollout, Rule, SegmentRule, Share } from './ruleset.ts';

/** Reads one attribute of the context of an evaluation; undefined where it is absent. */
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
  /** What `now` is, in milliseconds since 1970; without it the attribute is missing. */
  readonly clock: (() => number) | undefined;
  /** All flags by key, for prerequisites; `flags` is a part of them in what clients see. */
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
  /** The answer of the first target that names the context's unit; undefined where there are no targets. */
  readonly target: TargetTest | undefined;
  readonly rules: readonly CompiledRule[];
  readonly fallthrough: CompiledServe;
  /** The answer where the fallthrough skips a context that has no unit. */
  readonly skipped: Outcome;
}

export interface CompiledPrerequisite {
  readonly source: Prerequisite;
  readonly variants: ReadonlySet<string>;
}

export type TargetTest = (scope: Scope) => TargetMatch | undefined;

export interface TargetMatch {
  /** Place of the target in the flag's list. */
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
  /** A unit whose place is below the first of these that is greater gets the outcome at that index. */
  readonly ends: readonly number[];
  readonly outcomes: readonly Outcome[];
  /** The answer for a context without a unit; undefined where the rule is then skipped, or where it is an error. */
  readonly whenMissing: Outcome | undefined;
  /** A context without a unit is an error: the targeting key is the unit, and nothing is said of its absence. */
  readonly unitRequired: boolean;
}

/** Which units there are, and where on the line each of them lies. */
export interface CompiledBucketing {
  /** Attributes that the unit is read from: the first with a usable value. */
  readonly sources: readonly UnitSource[];
  readonly unit: (scope: Scope) => string | undefined;
  /** Of the usual division, by the own hash of the targeting key, which `rolloutOutcome` takes a short way for. */
  readonly ofTargetingKey: HashPrefix | undefined;
  /** From 0 to `places`. */
  readonly place: (unit: string) => number;
  /** The length of the line in whole places; 1 where it is not divided. */
  readonly places: number;
  /** Where on the line in places something lies that is given in 100000ths of it. */
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
  /** What cannot be compiled in it; evaluations that need the segment then end in `PARSE_ERROR`. */
  readonly malformed: string | undefined;
}

/**
 * The state of one call into the engine. Prerequisites and nested segments that are reached on several ways are
 * decided once per call (without the memory, a lattice of them would take exponential time), and an entry without a
 * result is one that is still being decided: meeting it again is a cycle.
 */
export interface Scope {
  readonly ruleset: CompiledRuleset;
  readonly context: EvaluationContext;
  /** The targeting key, when it is a string that can name a unit. */
  readonly unit: string | undefined;
  /** Where on [0, 1] the unit of the last rollout decided lies. */
  bucket: number;
  /** What the clock said when it was first asked. */
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
