import type { Flag, Prerequisite, Rollout, Ruleset, Segment, Serve } from '@fanion/flag-engine';
import { TARGETING_KEY } from '@fanion/flag-engine';
import { oncePerKey } from '../../../platform/once-per-key.ts';
import type { Steps } from '../../../platform/steps.ts';
import { attempt, convertible, NotExpressible, reasonsOf } from '../evaluation/index.ts';
import { clauseOf, type LaunchDarklyClause, userKind } from './clause-rules.ts';

export interface LaunchDarklyItem {
  readonly key: string;
  readonly version: number;
}

/** What LaunchDarkly's server-side SDKs evaluate. */
export interface LaunchDarklyData {
  readonly flags: Readonly<Record<string, LaunchDarklyItem>>;
  readonly segments: Readonly<Record<string, LaunchDarklyItem>>;
}

/** Converts each flag and segment of one ruleset once, however many others depend on it. */
interface Conversion {
  /** @throws NotExpressible */
  flag(key: string): LaunchDarklyItem;
  /** @throws NotExpressible */
  segment(key: string): LaunchDarklyItem;
  readonly ruleset: Ruleset;
}

function conversionOf(ruleset: Ruleset): Conversion {
  const unusableFlag = (key: string) => new NotExpressible(`needs the unusable flag "${key}"`);
  const unusableSegment = (key: string) => new NotExpressible(`names the unusable segment "${key}"`);
  const conversion: Conversion = {
    ruleset,
    flag: oncePerKey((key) => {
      const flag = Object.hasOwn(ruleset.flags, key) ? ruleset.flags[key] : undefined;
      if (flag === undefined) throw unusableFlag(key);
      return flagOf(flag, conversion);
    }, unusableFlag),
    segment: oncePerKey((key) => {
      const segment = Object.hasOwn(ruleset.segments, key) ? ruleset.segments[key] : undefined;
      if (segment === undefined) throw unusableSegment(key);
      return segmentOf(segment, conversion);
    }, unusableSegment),
  };
  return conversion;
}

type Served = { readonly variation: number } | { readonly rollout: object };

/**
 * The flags of a ruleset in LaunchDarkly's form, as far as its evaluators give the engine's answer for every context. A
 * flag that needs more is absent, so that an SDK returns the default of its caller instead of a wrong value.
 */
export function* launchDarklyData(ruleset: Ruleset): Steps<LaunchDarklyData> {
  const { flag, segment } = conversionOf(ruleset);
  const flags = yield* convertible(Object.keys(ruleset.flags), flag);
  const segments = yield* convertible(Object.keys(ruleset.segments), segment);
  return { flags: Object.fromEntries(flags), segments: Object.fromEntries(segments) };
}

/** Why a flag is absent for LaunchDarkly's server-side SDKs; empty: it is there. */
export function launchDarklyReasons(flag: Flag, ruleset: Ruleset): readonly string[] {
  const conversion = conversionOf(ruleset);
  const reasons = (one: Flag) => reasonsOf(attempt(() => flagOf(one, conversion)));
  const whole = reasons(flag);
  if (whole.length === 0) return [];
  const { targets, rules, prerequisites, fallthrough } = flag;
  const plain = { variant: flag.variants[0]?.key ?? null };
  const empty = { ...flag, targets: [], rules: [], prerequisites: [], fallthrough: plain };
  const parts: Flag[] = [
    ...prerequisites.map((one) => ({ ...empty, prerequisites: [one] })),
    ...(targets.length === 0 ? [] : [{ ...empty, targets }]),
    ...rules.map((rule) => ({ ...empty, rules: [rule] })),
    { ...empty, fallthrough },
  ];
  const found = [...new Set(parts.flatMap(reasons))];
  // Parts that are well by themselves may not fit together.
  return found.length === 0 ? whole : found;
}

/** @throws NotExpressible */
function segmentOf(segment: Segment, conversion: Conversion): LaunchDarklyItem {
  const rules = segment.rules.map(({ clauses, shares = [] }) => {
    if (shares.length > 0) throw new NotExpressible(`names the segment "${segment.key}", which has a percentage`);
    return { clauses: clausesOf(clauses, conversion) };
  });
  const { key, version, included, excluded } = segment;
  return { key, version, included, excluded, rules, salt: '', deleted: false } as LaunchDarklyItem;
}

/** @throws NotExpressible */
function clausesOf(clauses: Segment['rules'][number]['clauses'], conversion: Conversion): LaunchDarklyClause[] {
  // Segments are apart there; what names one that is absent must be absent too.
  for (const { op, values } of clauses)
    if (op === 'in_segment') for (const key of values) conversion.segment(String(key));
  return clauses.map(clauseOf);
}

/** @throws NotExpressible */
function flagOf(flag: Flag, conversion: Conversion): LaunchDarklyItem {
  const { key, version, enabled, variants } = flag;
  const salt = saltOf(flag);
  const rules = flag.rules.flatMap((rule) => {
    if ((rule.shares ?? []).length > 0) throw new NotExpressible('has a rule with its own percentage');
    const clauses = clausesOf(rule.clauses, conversion);
    const served = servedBy(flag, rule, rule.salt, salt);
    return [...guard(rule, clauses), { id: rule.id, clauses, ...served }];
  });
  return {
    key,
    version,
    on: enabled,
    variations: variants.map(({ value }) => value),
    ...(flag.off_variant !== null && { offVariation: indexOf(flag, flag.off_variant) }),
    fallthrough: servedBy(flag, flag.fallthrough, flag.salt, salt),
    targets: targetsOf(flag),
    rules: [...rules, ...guard(flag.fallthrough, [])],
    prerequisites: flag.prerequisites.map((one) => prerequisiteOf(one, conversion)),
    salt,
    deleted: false,
  } as LaunchDarklyItem;
}

/** @throws NotExpressible */
function prerequisiteOf({ flag: key, variants }: Prerequisite, { flag, ruleset }: Conversion) {
  const required = Object.hasOwn(ruleset.flags, key) ? ruleset.flags[key] : undefined;
  const [only] = variants;
  if (required === undefined) throw new NotExpressible(`needs the unusable flag "${key}"`);
  if (only === undefined || variants.length > 1) throw new NotExpressible(`needs one of several variants of "${key}"`);
  flag(key);
  return { key, variation: indexOf(required, only) };
}

/** There, targets are of user keys, with one list per variation. */
function targetsOf(flag: Flag): object[] {
  const seen = new Set<string>();
  return flag.targets.map(({ variant, values, attribute = TARGETING_KEY, context_kind = userKind }) => {
    if (attribute !== TARGETING_KEY || context_kind !== userKind || seen.has(variant))
      throw new NotExpressible('has targets that are not one list of user keys per variant');
    seen.add(variant);
    return { contextKind: userKind, variation: indexOf(flag, variant), values };
  });
}

/** @throws NotExpressible */
function indexOf({ variants }: Flag, variant: string | null): number {
  const index = variants.findIndex(({ key }) => key === variant);
  if (index === -1) throw new NotExpressible('serves the default of the code from a rule');
  return index;
}

/** @throws NotExpressible */
function servedBy(flag: Flag, serve: Serve, own: string, salt: string): Served {
  if (!('rollout' in serve)) return { variation: indexOf(flag, serve.variant) };
  const { rollout } = serve;
  const { context_kind = userKind, weights, tracked = false } = rollout;
  const seed = integerSeed(rollout);
  if (seed === undefined && hashedWith(flag, rollout, own) !== salt)
    throw new NotExpressible('divides units in several ways');
  const variations = weights.map(({ variant, weight, untracked = false }) => ({
    ...{ variation: indexOf(flag, variant), weight },
    ...(untracked && { untracked }),
  }));
  // Of experiments, SDKs report each unit.
  const kind = tracked ? 'experiment' : 'rollout';
  return { rollout: { kind, variations, contextKind: context_kind, ...(seed !== undefined && { seed }) } };
}

/** A flag has one salt there, so it is that of its first percentage. */
function saltOf(flag: Flag): string {
  for (const { salt, ...serve } of [...flag.rules, { ...flag.fallthrough, salt: flag.salt }])
    if ('rollout' in serve && integerSeed(serve.rollout) === undefined) return hashedWith(flag, serve.rollout, salt);
  return flag.salt;
}

/**
 * The salt that gives the same buckets, since LaunchDarkly hashes `key.salt.unit`.
 *
 * @throws NotExpressible
 */
function hashedWith(flag: Flag, rollout: Rollout, own: string): string {
  const { hash = 'fanion', bucket_by = TARGETING_KEY, fallback_bucket_by = [], missing = 'first', seed } = rollout;
  if (hash !== 'fanion') throw new NotExpressible(`divides units by the hash ${hash}`);
  if (bucket_by !== TARGETING_KEY || fallback_bucket_by.length > 0 || missing !== 'first')
    throw new NotExpressible('divides units by another attribute than their key');
  if (seed === undefined || seed === '') return own;
  if (!seed.startsWith(`${flag.key}.`)) throw new NotExpressible('divides units with its own seed');
  return seed.slice(flag.key.length + 1);
}

/** There, a seed is a number. */
function integerSeed(rollout: Rollout): number | undefined {
  const { hash = 'fanion', bucket_by = TARGETING_KEY, fallback_bucket_by = [], missing = 'first', seed = '' } = rollout;
  const isPlain =
    hash === 'fanion' && bucket_by === TARGETING_KEY && fallback_bucket_by.length === 0 && missing === 'first';
  const number = Number(seed);
  return isPlain && /^[1-9]\d*$/.test(seed) && Number.isSafeInteger(number) ? number : undefined;
}

/**
 * A percentage of users without a user is an error of the engine, so callers get their default. There, it would be the first
 * variation; a rule without one is an error there too.
 */
function guard(serve: Serve, clauses: readonly LaunchDarklyClause[]): object[] {
  if (!('rollout' in serve) || serve.rollout.context_kind !== undefined) return [];
  const noUser = { attribute: 'kind', op: 'in', values: [userKind], negate: true };
  return [{ id: 'no-user', clauses: [...clauses, noUser], variation: -1 }];
}
