import {
  type Flag,
  type JsonValue,
  type Rule,
  type Ruleset,
  type Serve,
  TARGETING_KEY,
  type Target,
} from '@fanion/flag-engine';
import {
  type Converted,
  convertible,
  expressed,
  NotExpressible,
  Reasons,
} from '../../features/flags/evaluation/index.ts';
import { oncePerKey } from '../../platform/once-per-key.ts';
import type { Steps } from '../../platform/steps.ts';
import { isListed, readsKind } from './clause-rules.ts';
import { admits, divided, isUnit, mayFail, requiredUnit, whereHashed } from './division-rules.ts';
import { all, equals, type Logic, not, oneOf } from './logic.ts';
import { conditionOf, type Inlined, requireSmall, type Segments, segmentsOf, sizeOf } from './segment-rules.ts';
import { namesSharedTest, sharedTests } from './shared-tests.ts';

/**
 * The flags of a ruleset as flagd's sync service sends them, as far as its evaluators give the engine's answer for every context. A
 * flag that needs more is absent, so that callers get their default instead of a wrong value.
 */
export function* flagdConfiguration(ruleset: Ruleset): Steps<string> {
  const place = placeOf(ruleset);
  const flags = yield* convertible(Object.keys(ruleset.flags), (key) => {
    const flag = ruleset.flags[key];
    // One by one, since all of them may have several megabytes.
    return flag && JSON.stringify(expressed(flagOf(flag, place)));
  });
  const members = flags.map(([key, text]) => `${JSON.stringify(key)}:${text}`);
  return `{"$evaluators":${JSON.stringify(sharedTests)},"flags":{${members.join(',')}}}`;
}

/** Why a flag is not in `flagdConfiguration`, as endings of "the flag …"; empty: it is. */
export function flagdReasons(flag: Flag, ruleset: Ruleset): readonly string[] {
  return flagOf(flag, placeOf(ruleset)).reasons;
}

/** What the flags of one ruleset name. Each is converted once. */
interface Place {
  readonly segments: Segments;
  /** Undefined for a flag that is off, or that the ruleset does not have. */
  readonly required: (key: string) => Required | undefined;
}

/** What a prerequisite serves. */
interface Required extends Inlined {
  /** It serves `failure` where its evaluation fails. */
  readonly mayFail: boolean;
}

/** In place of a variant: the evaluation of a prerequisite fails. */
const failure: Logic = '';

function placeOf(ruleset: Ruleset): Place {
  const segments = segmentsOf(ruleset);
  const cycle = (key: string) => new NotExpressible(`depends on the flag "${key}", which depends on itself`);
  const place: Place = {
    segments,
    required: oncePerKey((key) => {
      const flag = Object.hasOwn(ruleset.flags, key) ? ruleset.flags[key] : undefined;
      if (flag?.enabled !== true) return undefined;
      const { feature, reasons } = decisionOf(flag, place, failure);
      const [reason] = reasons;
      if (reason !== undefined) throw new NotExpressible(`depends on the flag "${key}", which ${reason}`);
      return feature;
    }, cycle),
  };
  return place;
}

function flagOf(flag: Flag, place: Place): Converted<object> {
  const { kind, variants, version, metadata, enabled, off_variant } = flag;
  const reasons = new Reasons();
  const isObject = (value: JsonValue) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (kind === 'json' && !variants.every(({ value }) => isObject(value)))
    reasons.add('has a variant that is a list or a single JSON value: use an object around it');
  if (namesSharedTest(JSON.stringify(variants)))
    reasons.add('has a variant with a "$ref" that flagd would replace: use another name');
  const head = {
    state: 'ENABLED',
    variants: Object.fromEntries(variants.map(({ key, value }) => [key, value])),
    metadata: { ...metadata, flagVersion: version },
  };
  if (!enabled) return { feature: { ...head, defaultVariant: off_variant }, reasons: reasons.all() };
  const { feature: decision, reasons: others } = decisionOf(flag, place, null);
  for (const reason of others) reasons.add(reason);
  if (reasons.all().length > 0) return { feature: head, reasons: reasons.all() };
  const { logic } = decision;
  const isFixed = typeof logic === 'string' || logic === null;
  const served = isFixed ? { defaultVariant: logic } : { defaultVariant: null, targeting: targetingOf(logic) };
  return { feature: { ...head, ...served }, reasons: reasons.all() };
}

/** If the logic divides units, adds a test of the evaluator's hash. No text can be mistaken for a division, since JSON escapes the quotes in it. */
function targetingOf(logic: Logic): Logic {
  return JSON.stringify(logic).includes('"fractional":[') ? whereHashed(logic) : logic;
}

/** What a flag that is on serves, in the engine's order: prerequisites, targets, rules, fallthrough. */
function decisionOf(flag: Flag, place: Place, failed: Logic): Converted<Required> {
  const { targets, rules, fallthrough, prerequisites } = flag;
  const reasons = new Reasons();
  const required = prerequisites.map(({ flag: key, variants }) => ({
    decision: reasons.part(() => place.required(key), undefined),
    variants,
  }));
  const size = reasons.part(() => inlinedSize(flag, required, place), 0);
  const branches = [
    ...required.flatMap((one) => unmet(one, flag, failed)),
    ...targets.flatMap((target) => [reasons.part(() => isTarget(target), false), target.variant]),
    ...joinedRules(rules).flatMap(([rule, without]) => [
      all([...conditionsOf(rule, place, reasons), ...(without === undefined ? unitOf(rule, reasons) : [])]),
      reasons.part(() => serveOf(rule, flag, failed, without), null),
    ]),
  ];
  const last = reasons.part(() => serveOf(fallthrough, flag, failed), null);
  const rollouts = [fallthrough, ...rules].flatMap((serve) => ('rollout' in serve ? [serve.rollout] : []));
  const own = rules.flatMap(({ clauses }) => clauses).length + targets.flatMap(({ values }) => values).length;
  return {
    feature: {
      logic: branches.length === 0 ? last : { if: [...branches, last] },
      size: size + own,
      mayFail: rollouts.some(mayFail) || required.some(({ decision }) => decision?.mayFail),
    },
    reasons: reasons.all(),
  };
}

interface RequiredVariants {
  readonly decision: Required | undefined;
  readonly variants: readonly string[];
}

/** The size of what the flag's logic contains of segments and other flags. @throws NotExpressible */
function inlinedSize({ rules }: Flag, required: readonly RequiredVariants[], { segments }: Place): number {
  const named = rules.flatMap(({ clauses }) => clauses.filter(({ op }) => op === 'in_segment'));
  // A prerequisite that may fail is in the logic twice.
  const ofRequired = required.map(({ decision }) => (decision?.size ?? 0) * (decision?.mayFail ? 2 : 1));
  const size = ofRequired.reduce((sum, size) => sum + size, sizeOf(named, segments));
  requireSmall(size);
  return size;
}

/** The branches for a prerequisite that fails or is not met. */
function unmet({ decision, variants }: RequiredVariants, { off_variant }: Flag, failed: Logic): Logic[] {
  if (decision === undefined) return [true, off_variant];
  const fails = decision.mayFail ? [equals(decision.logic, failure), failed] : [];
  return [...fails, not(oneOf(decision.logic, variants)), off_variant];
}

/** @throws NotExpressible */
function isTarget({ values, attribute = TARGETING_KEY, context_kind }: Target): Logic {
  if (context_kind !== undefined) throw new NotExpressible(readsKind(context_kind));
  return attribute === TARGETING_KEY ? isUnit(values) : isListed(attribute, values);
}

/**
 * A division that skips contexts without a unit, followed by a rule for the same contexts, is one rule: importers of flagd's files write both. The
 * conditions are the larger part of a configuration.
 */
function joinedRules(rules: readonly Rule[]): readonly (readonly [rule: Rule, without?: Serve])[] {
  const joined: [Rule, Serve?][] = [];
  for (const rule of rules) {
    const [before, without] = joined.at(-1) ?? [];
    const skips = before !== undefined && 'rollout' in before && before.rollout.missing === 'skip';
    const isSame = skips && without === undefined && 'variant' in rule && contextsOf(before) === contextsOf(rule);
    if (isSame) joined.splice(-1, 1, [before, rule]);
    else joined.push([rule]);
  }
  return joined;
}

const contextsOf = ({ clauses, shares }: Rule) => JSON.stringify([clauses, shares]);

function conditionsOf(rule: Rule, { segments }: Place, reasons: Reasons): Logic[] {
  const conditions = rule.clauses.map((clause) => reasons.part(() => conditionOf(clause, segments), false));
  const shares = (rule.shares ?? []).map((share) => reasons.part(() => admits(share), false));
  return [...conditions, ...shares];
}

/** A rule whose division skips contexts without a unit does not match them. */
function unitOf(rule: Rule, reasons: Reasons): Logic[] {
  const unit = 'rollout' in rule ? reasons.part(() => requiredUnit(rule.rollout), undefined) : undefined;
  return unit === undefined ? [] : [unit];
}

/** @param without what contexts without a unit get, if a division skips them; by default the off variant */
function serveOf(serve: Serve, { key, off_variant }: Flag, failed: Logic, without?: Serve): Logic {
  if (!('rollout' in serve)) return serve.variant;
  const skipped = without !== undefined && 'variant' in without ? without.variant : off_variant;
  return divided(serve.rollout, key, { skipped, failed });
}
