import {
  type Flag,
  type JsonValue,
  type Prerequisite,
  type Ruleset,
  type Serve,
  TARGETING_KEY,
} from '@fanion/flag-engine';
import { oncePerKey } from '../../../platform/once-per-key.ts';
import type { Steps } from '../../../platform/steps.ts';
import { type Converted, convertible, expressed, NotExpressible, Reasons } from '../evaluation/index.ts';
import { allOf, type Condition, not } from './condition.ts';
import { pathOf, unitIn } from './condition-rules.ts';
import { dividedBy, type FeatureRule, filtersOf } from './division-rules.ts';
import { Conditions } from './segment-rules.ts';

/** What GrowthBook's SDKs evaluate. A value of null is the caller's default. */
interface Feature {
  readonly defaultValue: JsonValue;
  readonly rules?: readonly FeatureRule[];
}

/**
 * The flags of a ruleset in GrowthBook's form, as far as its evaluators give the engine's answer for every context. A flag that
 * needs more is absent, so that callers get their default instead of a wrong value.
 */
export function* growthBookFeatures(ruleset: Ruleset): Steps<Record<string, Feature>> {
  const conversion = conversionOf(ruleset);
  const features = yield* convertible(Object.keys(ruleset.flags), (key) => expressed(conversion.flag(key)));
  return Object.fromEntries(features);
}

/** Why a flag is not in `growthBookFeatures`, as endings of "the flag …"; empty: it is. */
export function growthBookReasons({ key }: Flag, ruleset: Ruleset): readonly string[] {
  return conversionOf(ruleset).flag(key).reasons;
}

/** Converts each flag and segment of one ruleset once, however many others depend on it. */
interface Conversion {
  /** Throws if the flag needs itself. @throws NotExpressible */
  flag(key: string): Converted<Feature>;
  /** Whether a flag that does not need itself fails for a context without a targeting key. */
  canFail(key: string): boolean;
  /** Undefined for a flag that is missing or off. */
  enabled(key: string): Flag | undefined;
  readonly conditions: Conditions;
}

function conversionOf({ flags, segments }: Ruleset): Conversion {
  const cycle = (key: string) => new NotExpressible(`needs itself by "${key}"`);
  function known(key: string): Flag {
    const flag = Object.hasOwn(flags, key) ? flags[key] : undefined;
    if (flag === undefined) throw new NotExpressible(`needs the missing flag "${key}"`);
    return flag;
  }
  const conversion: Conversion = {
    flag: oncePerKey((key) => converted(known(key), conversion), cycle),
    canFail: oncePerKey((key) => canFail(known(key), conversion), cycle),
    enabled: (key) => (Object.hasOwn(flags, key) && flags[key]?.enabled === true ? flags[key] : undefined),
    conditions: new Conditions({ segments }),
  };
  return conversion;
}

function converted(flag: Flag, conversion: Conversion): Converted<Feature> {
  const reasons = new Reasons();
  const off = reasons.part(() => valueFor(flag, flag.off_variant), null);
  if (flag.variants.some(({ value }) => value === null)) reasons.add('has a variant whose value is null');
  if (!flag.enabled) return { feature: { defaultValue: off }, reasons: reasons.all() };
  const gates = flag.prerequisites.flatMap((one) => reasons.part(() => gateOf(one, off, conversion), []));
  const targets = flag.targets.flatMap((target) => reasons.part(() => [targetOf(flag, target)], []));
  const { conditions: known } = conversion;
  reasons.part(() => known.requireSmall(flag.rules.flatMap(({ clauses }) => clauses)), undefined);
  const rules = flag.rules.flatMap((rule) =>
    reasons.part(() => {
      const { filters, conditions } = filtersOf(rule.shares ?? []);
      const when = [...known.of(rule.clauses), ...conditions];
      return ruleOf(flag, rule, when).map((one) => ({ ...one, ...(filters.length > 0 && { filters }) }));
    }, []),
  );
  // After a percentage that skips contexts without a unit, the off variant is served.
  const { fallthrough } = flag;
  const last = 'rollout' in fallthrough ? reasons.part(() => ruleOf(flag, fallthrough, []), []) : [];
  const value = 'rollout' in fallthrough ? off : reasons.part(() => valueFor(flag, fallthrough.variant), null);
  // What a rule that serves nothing does at the end, a missing default does too, also in Python.
  const servesNothing = last.at(-1)?.force === null;
  const defaultValue = servesNothing ? null : value;
  const all = [...gates, ...targets, ...rules, ...(servesNothing ? last.slice(0, -1) : last)];
  return { feature: { defaultValue, ...(all.length > 0 && { rules: all }) }, reasons: reasons.all() };
}

function valueFor({ variants }: Flag, key: string | null): JsonValue {
  if (key === null) return null;
  const variant = variants.find((one) => one.key === key);
  if (variant === undefined) throw new NotExpressible(`serves the unknown variant "${key}"`);
  return variant.value;
}

/** What a rule or target serves. @throws NotExpressible */
function servedBy(flag: Flag, variant: string | null): JsonValue {
  if (variant === null) throw new NotExpressible('serves the default of the code from a rule');
  return valueFor(flag, variant);
}

function targetOf(flag: Flag, { variant, values, attribute = TARGETING_KEY, context_kind }: Flag['targets'][number]) {
  if (context_kind !== undefined) throw new NotExpressible(`reads the context kind "${context_kind}"`);
  const path = pathOf(attribute);
  const condition = attribute === TARGETING_KEY ? unitIn(values) : { [path]: { $in: values } };
  return { condition, force: servedBy(flag, variant) };
}

/** The rules that serve one thing to the contexts that match all conditions. */
function ruleOf(flag: Flag, serve: Serve, when: readonly Condition[]): FeatureRule[] {
  const condition = allOf(when);
  const matched = condition === undefined ? {} : { condition };
  if (!('rollout' in serve)) return [{ ...matched, force: servedBy(flag, serve.variant) }];
  const { rollout } = serve;
  const { divided, hasUnit } = dividedBy(flag, rollout);
  const served = divided.map((rule) => ({ ...rule, condition: allOf([...when, hasUnit]) ?? {} }));
  const { missing = 'first', bucket_by = TARGETING_KEY } = rollout;
  if (missing === 'skip') return served;
  // Without a targeting key, evaluation fails and callers get their default; without another unit, the first is served.
  const first = rollout.weights.find(({ weight }) => weight > 0)?.variant ?? null;
  const without = bucket_by === TARGETING_KEY ? null : valueFor(flag, first);
  return [...served, { condition: allOf([...when, not(hasUnit)]) ?? {}, force: without }];
}

/**
 * Rules before all others, for a prerequisite that is not met. They compare its value, so that it must tell whether it is met.
 */
function gateOf({ flag: key, variants }: Prerequisite, off: JsonValue, conversion: Conversion): FeatureRule[] {
  const required = conversion.enabled(key);
  if (required === undefined) return [off === null ? gateOn(key, { $in: [] }) : { force: off }];
  const { reasons } = conversion.flag(key);
  if (reasons.length > 0) throw new NotExpressible(`needs the flag "${key}", which ${reasons[0]}`);
  const met = required.variants.filter((one) => variants.includes(one.key)).map(({ value }) => value);
  const unmet = required.variants.filter((one) => !variants.includes(one.key)).map(({ value }) => value);
  if (![...met, ...unmet].every(isScalar)) throw new NotExpressible(`needs the flag "${key}", whose values are JSON`);
  if (met.some((value) => unmet.includes(value)))
    throw new NotExpressible(`needs the flag "${key}", of which several variants have one value`);
  const fails = conversion.canFail(key);
  if (fails && isDefaulting(required))
    throw new NotExpressible(`needs the flag "${key}", which can serve the default of the code and can fail`);
  if (off === null) return [gateOn(key, { $in: met })];
  const isUnmet = { parentConditions: [{ id: key, condition: { value: { $nin: met } } }], force: off };
  return [...(fails ? [gateOn(key, { $exists: true })] : []), isUnmet];
}

/** Serves nothing unless the value of a flag meets the condition. The SDK for Python ignores a rule whose value is null. */
function gateOn(id: string, value: Condition): FeatureRule {
  return { parentConditions: [{ id, condition: { value }, gate: true }] };
}

const isScalar = (value: JsonValue) => ['string', 'number', 'boolean'].includes(typeof value);

const servesOf = (flag: Flag): readonly Serve[] => [...flag.rules, flag.fallthrough];

/** Whether a flag fails for a context without a targeting key. */
function canFail(flag: Flag, conversion: Conversion): boolean {
  const needsUnit = (serve: Serve) =>
    'rollout' in serve &&
    (serve.rollout.missing ?? 'first') === 'first' &&
    (serve.rollout.bucket_by ?? TARGETING_KEY) === TARGETING_KEY;
  return (
    servesOf(flag).some(needsUnit) ||
    flag.prerequisites.some(({ flag: key }) => conversion.enabled(key) !== undefined && conversion.canFail(key))
  );
}

/** Whether a flag can serve the default of the code. */
function isDefaulting(flag: Flag): boolean {
  return flag.off_variant === null || servesOf(flag).some((serve) => 'variant' in serve && serve.variant === null);
}
