import type { AttributeReader } from './attribute.ts';
import type { EvaluationContext } from './evaluation.ts';
import type { KeySet } from './key-set.ts';
import type { Outcome } from './outcome.ts';
import type { Clause, Flag, Prerequisite, Rollout, Rule, SegmentRule } from './ruleset.ts';
import type { HashPrefix } from './sha1.ts';

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
  readonly test: Test;
  readonly serve: CompiledServe;
}

/** One outcome for everybody, or one per bucket. */
export type CompiledServe =
  | { readonly fixed: Outcome; readonly rollout?: undefined }
  | { readonly fixed?: undefined; readonly rollout: CompiledRollout };

export interface CompiledRollout {
  readonly source: Rollout;
  /** Absent where the targeting key is the unit. */
  readonly read: AttributeReader | undefined;
  readonly prefix: HashPrefix;
  /** A unit whose bucket is below the first of these that is greater gets the outcome at that place. */
  readonly ends: readonly number[];
  readonly outcomes: readonly Outcome[];
  /** The answer for a context without the attribute: the first bucket's variant, untracked. */
  readonly whenMissing: Outcome;
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
  /** Bucket of the last rollout decided. */
  bucket: number;
  /** Regex work left, in instructions × characters. */
  regexSteps: number;
  decided: Map<CompiledFlag, Decided | undefined> | undefined;
  memberships: Map<CompiledSegment, boolean | undefined> | undefined;
}

export interface Decided {
  readonly outcome: Outcome;
  readonly bucket: number;
}
