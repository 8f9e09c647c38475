import {
  type CompiledRuleset,
  type EvaluationContext,
  type Explanation,
  explain,
  TARGETING_KEY,
} from '@fanion/flag-engine';

/** A unit as evaluations record it. */
export interface SeenUnit {
  /** The attribute that the unit is the value of; empty: the targeting key. */
  readonly kind: string;
  readonly unit: string;
  /** What it got last; empty: nothing was served. */
  readonly variant: string;
}

/** What a unit gets, if nothing decides about it that is not known of it. */
export type Decision =
  | { readonly certain: true; readonly variant: string | null }
  /** An attribute, or `prerequisites`. */
  | { readonly certain: false; readonly reads: string };

/** Evaluates a flag for a unit of which only one attribute is known. */
export function decide(ruleset: CompiledRuleset, flag: string, { kind, unit }: SeenUnit): Decision {
  const known = kind === '' ? TARGETING_KEY : kind;
  const context: EvaluationContext = { [known]: unit };
  const explanation = explain(ruleset, flag, context);
  const reads = unknownIn(explanation, known);
  return reads === undefined
    ? { certain: true, variant: explanation.evaluation.variant ?? null }
    : { certain: false, reads };
}

/** The first thing that decided, or could have, and is not known; undefined if the answer is certain. */
function unknownIn(explanation: Explanation, known: string): string | undefined {
  if (explanation.decided_by === 'off') return undefined;
  // They are flags of their own, with attributes of their own.
  if (explanation.prerequisites.length > 0) return 'prerequisites';
  for (const { attribute, result, size } of explanation.targets) {
    if (result === 'matched') return undefined;
    if (result === 'not_matched' && size > 0 && attribute !== known) return attribute;
  }
  for (const rule of explanation.rules) {
    if (rule.result === 'not_reached') break;
    const unknown = unknownOf(rule, known);
    if (unknown !== undefined) return unknown;
    if (rule.result === 'matched') return ofRollout(rule.rollout, known);
  }
  return ofRollout(explanation.fallthrough.rollout, known);
}

/** What has to be known to tell whether a rule matches; a known condition that fails is enough. */
function unknownOf({ clauses, shares = [] }: Explanation['rules'][number], known: string): string | undefined {
  let unknown: string | undefined;
  for (const clause of clauses) {
    const reads = readOf(clause, known);
    if (reads === undefined && !clause.matched) return undefined;
    unknown ??= reads;
  }
  for (const { bucket_by, matched } of shares) {
    if (bucket_by === known && !matched) return undefined;
    if (bucket_by !== known) unknown ??= bucket_by;
  }
  return unknown;
}

function readOf(
  { attribute, segments }: Explanation['rules'][number]['clauses'][number],
  known: string,
): string | undefined {
  if (segments === undefined) return attribute === undefined || attribute === known ? undefined : attribute;
  // A unit is in a segment by its key, or by rules that may read anything.
  const unclear = segments.find(({ because }) => because !== 'included' && because !== 'excluded');
  return unclear === undefined ? undefined : `segment ${unclear.key}`;
}

function ofRollout(rollout: { readonly bucket_by: string } | undefined, known: string): string | undefined {
  return rollout === undefined || rollout.bucket_by === known ? undefined : rollout.bucket_by;
}

export interface Replayed {
  replayed: number;
  changed: number;
  readonly moves: Map<string, { readonly from: string | null; readonly to: string | null; units: number }>;
  readonly examples: { readonly unit: string; readonly from: string | null; readonly to: string | null }[];
  readonly uncertain: Map<string, number>;
}

const maxExamples = 10;

export function newReplay(): Replayed {
  return { replayed: 0, changed: 0, moves: new Map(), examples: [], uncertain: new Map() };
}

/** Adds one unit. What it gets now is what it got last, if the present targeting is uncertain about it. */
export function replayUnit(
  replay: Replayed,
  { now, proposed }: { readonly now: CompiledRuleset; readonly proposed: CompiledRuleset },
  flag: string,
  seen: SeenUnit,
): void {
  const after = decide(proposed, flag, seen);
  if (!after.certain) {
    replay.uncertain.set(after.reads, (replay.uncertain.get(after.reads) ?? 0) + 1);
    return;
  }
  const before = decide(now, flag, seen);
  const from = before.certain ? before.variant : seen.variant === '' ? null : seen.variant;
  const to = after.variant;
  replay.replayed += 1;
  if (from === to) return;
  replay.changed += 1;
  const key = JSON.stringify([from, to]);
  const move = replay.moves.get(key) ?? { from, to, units: 0 };
  move.units += 1;
  replay.moves.set(key, move);
  if (replay.examples.length < maxExamples) replay.examples.push({ unit: seen.unit, from, to });
}
