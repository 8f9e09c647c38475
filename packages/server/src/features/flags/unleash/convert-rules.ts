import {
  type Flag,
  type Prerequisite,
  type Ruleset,
  type Serve,
  TARGETING_KEY,
  type Variant,
} from '@fanion/flag-engine';
import { oncePerKey } from '../../../platform/once-per-key.ts';
import type { Steps } from '../../../platform/steps.ts';
import { type Converted, convertible, expressed, NotExpressible, Reasons } from '../evaluation/index.ts';
import { all, always, type Condition, Conditions, not } from './condition-rules.ts';
import { type Constraint, isOneOf } from './constraint-rules.ts';
import { type Division, divisionOf, type Part, partOf, partOfRollout } from './division-rules.ts';
import { noVariant, type Payload, payloadOf } from './frontend-rules.ts';

interface UnleashVariant {
  readonly name: string;
  readonly weight: number;
  readonly weightType: 'fix';
  readonly stickiness: string;
  readonly payload: Payload;
}

interface Strategy {
  readonly name: 'default' | 'flexibleRollout';
  readonly parameters: Readonly<Record<string, string>>;
  readonly constraints: readonly Constraint[];
  readonly variants: readonly UnleashVariant[];
}

export interface Feature {
  readonly name: string;
  readonly type: 'release';
  readonly project: string;
  readonly enabled: boolean;
  readonly stale: false;
  readonly impressionData: false;
  readonly strategies: readonly Strategy[];
  /** Of strategies that have none themselves. */
  readonly variants: readonly UnleashVariant[];
  readonly dependencies: readonly object[];
}

/** What one step of a flag (a target, a rule, the fallthrough) does with the contexts that it matches. */
interface Step {
  readonly when: Condition;
  /** Contexts outside of it go on to the next step. */
  readonly part: Part | undefined;
  readonly serves: Served;
}

/** `part` of a percentage: the rest is not enabled. */
type Served = 'nothing' | { readonly part?: Part; readonly division?: Division };

/**
 * The features of a ruleset that Unleash's evaluators judge as the engine does. A flag that needs more is absent, so that an
 * SDK returns the fallback of its caller instead of a wrong value.
 */
export function* unleashFeatures(ruleset: Ruleset): Steps<Feature[]> {
  const converted = featuresOf(ruleset);
  const features = yield* convertible(Object.keys(ruleset.flags), (key) => expressed(converted(key)));
  return features.map(([, feature]) => feature);
}

/** Why a flag is absent; endings of "the flag …". Empty: it is served. */
export function unleashReasons({ key }: Flag, ruleset: Ruleset): readonly string[] {
  return featuresOf(ruleset)(key).reasons;
}

/** In all strategies of one flag. */
const maxConstraints = 10_000;

/** Converts each flag of one ruleset once, however many others need it. */
function featuresOf(ruleset: Ruleset): (key: string) => Converted<Feature> {
  const missing = (key: string) => new NotExpressible(`needs the flag "${key}", which is missing`);
  const cycle = (key: string) => new NotExpressible(`needs the flag "${key}", which needs another`);
  const conditions = new Conditions(ruleset);
  const feature: (key: string) => Converted<Feature> = oncePerKey((key) => {
    const flag = Object.hasOwn(ruleset.flags, key) ? ruleset.flags[key] : undefined;
    if (flag === undefined) throw missing(key);
    return featureOf(flag, ruleset, conditions, feature);
  }, cycle);
  return feature;
}

type ParentOf = (key: string) => Converted<Feature>;

function featureOf(flag: Flag, ruleset: Ruleset, conditions: Conditions, parentOf: ParentOf): Converted<Feature> {
  const reasons = new Reasons();
  const head = {
    name: flag.key,
    type: 'release',
    project: ruleset.project,
    stale: false,
    impressionData: false,
    variants: [],
  } as const;
  const off = reasons.part(() => offOf(flag), false);
  if (!flag.enabled)
    return { feature: { ...head, enabled: off, strategies: [], dependencies: [] }, reasons: reasons.all() };
  if (off && flag.prerequisites.length > 0) reasons.add('serves true while a prerequisite is not met');
  const needed = flag.prerequisites.map((one) =>
    reasons.part(() => dependencyOf(one, ruleset, parentOf), 'always' as const),
  );
  const strategies = needed.includes('never') ? [] : strategiesOf(flag, off, conditions, reasons);
  const dependencies = needed.filter((one) => typeof one === 'object');
  // A feature without strategies is enabled for everybody.
  const feature = {
    ...head,
    enabled: strategies.length > 0,
    ...withVariants(flag.key, strategies, reasons),
    dependencies,
  };
  return { feature, reasons: reasons.all() };
}

/** Whether a flag is enabled while it is off. Other values than booleans are then the fallback of the caller. */
function offOf({ kind, off_variant, variants }: Flag): boolean {
  if (kind !== 'boolean') return false;
  if (off_variant === null) throw new NotExpressible('serves the default of the code while it is off');
  return valueIn({ variants }, off_variant) === true;
}

/** SDKs find no parent that has a parent itself. @throws NotExpressible */
function dependencyOf({ flag: key, variants }: Prerequisite, ruleset: Ruleset, parentOf: ParentOf) {
  const parent = Object.hasOwn(ruleset.flags, key) ? ruleset.flags[key] : undefined;
  if (parent === undefined || parent.prerequisites.length > 0)
    throw new NotExpressible(`needs the flag "${key}", which ${parent === undefined ? 'is missing' : 'needs another'}`);
  if (!parent.enabled || !parent.variants.some((one) => variants.includes(one.key))) return 'never';
  const [reason] = parentOf(key).reasons;
  if (reason !== undefined) throw new NotExpressible(`needs the flag "${key}", which ${reason}`);
  if (parent.kind !== 'boolean') {
    if (variants.includes(noVariant)) throw new NotExpressible(`needs the flag "${key}" without a variant`);
    return { feature: key, enabled: true, variants };
  }
  const values = new Set(variants.map((variant) => valueIn(parent, variant)));
  if (parent.variants.some((one) => values.has(one.value) && !variants.includes(one.key)))
    throw new NotExpressible(`needs one of several equal variants of the flag "${key}"`);
  const needsTrue = values.has(true);
  return needsTrue && values.has(false) ? 'always' : { feature: key, enabled: needsTrue };
}

function valueIn({ variants }: Pick<Flag, 'variants'>, key: string): Variant['value'] {
  return variants.find((variant) => variant.key === key)?.value ?? null;
}

/**
 * The steps as strategies. The first step that matches decides, even that a flag is not enabled; the first strategy that is
 * enabled decides. So later strategies exclude what an earlier step does not enable.
 */
function strategiesOf(flag: Flag, off: boolean, conditions: Conditions, reasons: Reasons): Strategy[] {
  const steps = stepsOf(flag, off, conditions, reasons);
  const last = steps.findLastIndex(({ serves }) => serves !== 'nothing');
  const before = steps.slice(0, Math.max(0, last));
  if (before.some(({ part, serves }) => serves === 'nothing' && part !== undefined))
    reasons.add('excludes a percentage from a later rule');
  if (before.some(({ serves }) => serves !== 'nothing' && serves.part !== undefined))
    reasons.add('has a percentage before another rule');
  return reasons.part(() => joined(flag, steps.slice(0, last + 1), reasons), []);
}

const isDivided = ({ variants }: Strategy) => variants.filter(({ weight }) => weight > 0).length > 1;

/**
 * Some SDKs divide units over the variants of a strategy by the field of the variants, and others by that of the strategy. All divide
 * over those of the feature by the field of the variants, with the feature's name as the group.
 */
function withVariants(
  key: string,
  strategies: readonly Strategy[],
  reasons: Reasons,
): Pick<Feature, 'strategies' | 'variants'> {
  const divided = strategies.filter(isDivided);
  const [first] = divided;
  const variants = first?.variants ?? [];
  const isSame = (one: Strategy) =>
    one.parameters.groupId === key && JSON.stringify(one.variants) === JSON.stringify(variants);
  if (divided.every(isSame))
    return { variants, strategies: strategies.map((one) => (isDivided(one) ? { ...one, variants: [] } : one)) };
  const unitOf = (field: string | undefined) => (field === 'userId' ? 'default' : field);
  if (
    divided.some((one) =>
      one.variants.some(({ stickiness }) => unitOf(stickiness) !== unitOf(one.parameters.stickiness)),
    )
  )
    reasons.add('divides units over variants by another attribute than its percentage');
  return { variants: [], strategies };
}

/** @throws NotExpressible */
function joined(flag: Flag, steps: readonly Step[], reasons: Reasons): Strategy[] {
  const strategies: Strategy[] = [];
  let excluded: Condition = always;
  let total = 0;
  for (const { when, part, serves } of steps) {
    if (serves === 'nothing') {
      excluded = all(excluded, not(when));
      continue;
    }
    for (const constraints of all(excluded, when)) {
      total += constraints.length;
      if (total > maxConstraints) throw new NotExpressible(`needs more than ${maxConstraints} constraints`);
      const strategy = reasons.part(() => strategyOf(flag, constraints, part, serves), undefined);
      if (strategy !== undefined) strategies.push(strategy);
    }
  }
  return strategies;
}

/** A step that cannot be converted serves something, since steps before it must know that there is one. */
function stepsOf(flag: Flag, off: boolean, conditions: Conditions, reasons: Reasons): Step[] {
  const served = (serve: Serve) => reasons.part(() => servedBy(flag, serve), {});
  const targets = flag.targets.map(({ variant, values, attribute = TARGETING_KEY, context_kind }): Step => {
    if (context_kind !== undefined) reasons.add('reads a context kind');
    const when = reasons.part(() => [[isOneOf(attribute, values)]], always);
    return { when, part: undefined, serves: served({ variant }) };
  });
  const groups: { first: Flag['rules'][number]; lists: Flag['rules'][number]['clauses'][]; same: string }[] = [];
  for (const rule of flag.rules) {
    const { id, salt, description, clauses, ...rest } = rule;
    // Without a seed, only the salt of a rule, which Unleash does not have, would distinguish these.
    const same = JSON.stringify(rest);
    const last = groups.at(-1);
    if (last?.same === same) last.lists.push(clauses);
    else groups.push({ first: rule, lists: [clauses], same });
  }
  const rules = groups.map(
    ({ first, lists }): Step => ({
      when: reasons.part(() => conditions.any(lists), always),
      part: reasons.part(() => partOf(first), undefined),
      serves: served(first),
    }),
  );
  const serves = served(flag.fallthrough);
  if (serves !== 'nothing' && serves.part !== undefined && off) reasons.add('serves true to contexts without a unit');
  return [...targets, ...rules, { when: always, part: undefined, serves }];
}

/** @throws NotExpressible */
function servedBy(flag: Flag, serve: Serve): Served {
  if (!('rollout' in serve)) return servedVariant(flag, serve.variant);
  const { rollout } = serve;
  if (flag.kind === 'boolean')
    return { part: partOfRollout(rollout, (variant) => valueIn(flag, variant) === true, flag.key) };
  if (rollout.weights.some(({ variant }) => variant === noVariant))
    throw new NotExpressible(`divides units over the variant "${noVariant}"`);
  return { division: divisionOf(rollout, flag.key) };
}

function servedVariant(flag: Flag, variant: string | null): Served {
  if (flag.kind !== 'boolean')
    return variant === null || variant === noVariant
      ? 'nothing'
      : { division: { groupId: flag.key, stickiness: 'default', weights: [{ variant, weight: 1_000 }] } };
  if (variant === null) throw new NotExpressible('serves the default of the code');
  return valueIn(flag, variant) === true ? {} : 'nothing';
}

/** @throws NotExpressible */
function strategyOf(
  flag: Flag,
  constraints: readonly Constraint[],
  part: Part | undefined,
  { part: own, division }: Exclude<Served, 'nothing'>,
): Strategy {
  const variants = division === undefined ? [] : variantsOf(flag, division);
  if (part !== undefined && own !== undefined) throw new NotExpressible('has a percentage of a percentage');
  const admitted = part ?? own;
  if (admitted === undefined && variants.length === 0)
    return { name: 'default', parameters: {}, constraints, variants };
  const isDivided = variants.filter(({ weight }) => weight > 0).length > 1;
  if (admitted !== undefined && division !== undefined && isDivided && admitted.groupId !== division.groupId)
    throw new NotExpressible('divides units over variants with another seed than its percentage');
  const { groupId, stickiness, rollout } = admitted ?? {
    groupId: division?.groupId ?? flag.key,
    stickiness: 'default',
    rollout: 100,
  };
  return {
    name: 'flexibleRollout',
    parameters: { groupId, stickiness, rollout: String(rollout) },
    constraints,
    variants,
  };
}

function variantsOf({ kind, variants }: Flag, { weights, stickiness }: Division): UnleashVariant[] {
  if (kind === 'boolean') return [];
  return weights.map(({ variant, weight }) => {
    const payload = payloadOf(valueIn({ variants }, variant), kind);
    return { name: variant, weight, weightType: 'fix', stickiness, payload };
  });
}
