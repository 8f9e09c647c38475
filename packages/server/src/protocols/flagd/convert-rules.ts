import {
  type Clause,
  type Flag,
  type JsonValue,
  type Rollout,
  type Ruleset,
  type Segment,
  type Serve,
  TARGETING_KEY,
  TOTAL_WEIGHT,
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

/** JsonLogic, or the key of a variant. Null is the caller's default. */
type Logic = JsonValue;

const defaultBuckets = 100;
/** Conditions contain the segments that they name, with all keys. The limit is for all segments of one flag. */
const mostInlined = 10_000;

/**
 * The flags of a ruleset as flagd's sync service sends them, as far as its evaluators give the engine's answer for every context. A
 * flag that needs more is absent, so that callers get their default instead of a wrong value.
 */
export function* flagdConfiguration(ruleset: Ruleset): Steps<string> {
  const segments = segmentsOf(ruleset);
  const all = new Map(Object.entries(ruleset.flags));
  const flags = yield* convertible([...all.keys()], (key) => {
    const flag = all.get(key);
    return flag && expressed(flagOf(flag, segments));
  });
  return JSON.stringify({ flags: Object.fromEntries(flags) });
}

/** Why a flag is not in `flagdConfiguration`, as endings of "the flag …"; empty: it is. */
export function flagdReasons(flag: Flag, ruleset: Ruleset): readonly string[] {
  return flagOf(flag, segmentsOf(ruleset)).reasons;
}

function flagOf(flag: Flag, segments: Segments): Converted<object> {
  const reasons = new Reasons();
  const { kind, variants, version, metadata, enabled, off_variant, fallthrough, targets, rules } = flag;
  const isObject = (value: JsonValue) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (kind === 'json' && !variants.every(({ value }) => isObject(value)))
    reasons.add('has a variant that is a list or a single JSON value');
  const head = {
    state: 'ENABLED',
    variants: Object.fromEntries(variants.map(({ key, value }) => [key, value])),
    metadata: { ...metadata, flagVersion: version },
  };
  const made = (more: object) => ({ feature: { ...head, ...more }, reasons: reasons.all() });
  if (!enabled) return made({ defaultVariant: off_variant });
  if (flag.prerequisites.length > 0) reasons.add('has prerequisites');
  const named = rules.flatMap(({ clauses }) => clauses.filter(({ op }) => op === 'in_segment'));
  reasons.part(() => requireSmall(sizeOf(named, segments)), undefined);
  const served = (serve: Serve) => reasons.part(() => serveOf(flag, serve), null);
  const branches = [
    ...targets.flatMap(({ variant, values, attribute = TARGETING_KEY, context_kind }) => {
      if (context_kind !== undefined) reasons.add(`reads the context kind "${context_kind}"`);
      return [reasons.part(() => oneOf(attribute, values), false), variant];
    }),
    ...rules.flatMap((rule) => {
      if ((rule.shares ?? []).length > 0) reasons.add('has a rule with its own percentage');
      const when = rule.clauses.map((clause) => reasons.part(() => clauseOf(clause, segments), false));
      return [all('rollout' in rule && rule.rollout.missing === 'skip' ? [...when, hasUnit] : when), served(rule)];
    }),
  ];
  const last = served(fallthrough);
  if (branches.length === 0 && (typeof last === 'string' || last === null)) return made({ defaultVariant: last });
  return made({
    defaultVariant: null,
    targeting: { if: [...branches, ...(branches.length === 0 ? [true] : []), last] },
  });
}

const unit: Logic = { var: TARGETING_KEY };
const hasUnit: Logic = { '!!': [unit] };

function all(conditions: readonly Logic[]): Logic {
  return conditions.length > 1 ? { and: conditions } : (conditions[0] ?? true);
}

function serveOf(flag: Flag, serve: Serve): Logic {
  if (!('rollout' in serve)) return serve.variant;
  const { rollout } = serve;
  const divided = dividedBy(flag, rollout);
  // Without a unit, evaluation fails and callers get their default, or the off variant is served.
  return { if: [hasUnit, divided, rollout.missing === 'skip' ? flag.off_variant : null] };
}

function dividedBy({ key }: Flag, rollout: Rollout): Logic {
  const { hash = 'fanion', bucket_by = TARGETING_KEY, fallback_bucket_by = [], context_kind, seed = key } = rollout;
  if (hash !== 'flagd')
    throw new NotExpressible(hash === 'fanion' ? 'divides units by its own hash' : `divides units by the hash ${hash}`);
  if (bucket_by !== TARGETING_KEY || fallback_bucket_by.length > 0 || context_kind !== undefined)
    throw new NotExpressible('divides units by another attribute than their key');
  const { buckets = defaultBuckets, weights } = rollout;
  let sum = 0;
  const parts = weights.flatMap(({ variant, weight }) => {
    const from = Math.round((sum * buckets) / TOTAL_WEIGHT);
    sum += weight;
    const places = Math.round((sum * buckets) / TOTAL_WEIGHT) - from;
    return places === 0 ? [] : [[variant, places] as const];
  });
  return { fractional: [{ cat: [seed, unit] }, ...parts] };
}

/** Of operators, only equality is the same for values of every type. @throws NotExpressible */
function clauseOf(clause: Clause, segments: Segments): Logic {
  const { op, attribute = '', values, negate = false, as, ignore_case, context_kind } = clause;
  if (op === 'in_segment') {
    const any = { or: values.map((key) => segments(String(key)).logic) };
    return negate ? { '!': [any] } : any;
  }
  if (as !== undefined || ignore_case === true) throw new NotExpressible('converts an attribute');
  if (context_kind !== undefined) throw new NotExpressible(`reads the context kind "${context_kind}"`);
  const present: Logic = { '!==': [{ var: nameOf(attribute) }, null] };
  if (op === 'exists') return negate ? { '!': [present] } : present;
  const isComplement = op === 'not_in' || op === 'neq';
  if (op !== 'in' && op !== 'eq' && !isComplement) throw new NotExpressible(`uses the operator ${op}`);
  const matches = oneOf(attribute, values);
  if (negate === isComplement) return matches;
  return isComplement ? { '!': [matches] } : { and: [present, { '!': [matches] }] };
}

/** A list matches if one of its elements does; anything else is a list of one. */
function oneOf(attribute: string, values: readonly JsonValue[]): Logic {
  if (attribute === TARGETING_KEY) return { in: [unit, values] };
  return { some: [{ merge: [{ var: nameOf(attribute) }] }, { in: [{ var: '' }, values] }] };
}

function nameOf(attribute: string): string {
  const isPlain = /^[A-Za-z_][\w -]*$/.test(attribute) && !(attribute in Object.prototype) && attribute !== 'now';
  if (!isPlain) throw new NotExpressible(`reads the attribute "${attribute}"`);
  return attribute;
}

interface Inlined {
  readonly logic: Logic;
  /** Keys, clauses and values. */
  readonly size: number;
}

/** Converts each segment of one ruleset once. */
type Segments = (key: string) => Inlined;

function segmentsOf({ segments }: Ruleset): Segments {
  const unusable = (key: string) => new NotExpressible(`names the unusable segment "${key}"`);
  const inlined: Segments = oncePerKey((key) => {
    const segment = Object.hasOwn(segments, key) ? segments[key] : undefined;
    if (segment === undefined) throw unusable(key);
    return inlinedOf(segment, inlined);
  }, unusable);
  return inlined;
}

function inlinedOf({ key, included, excluded, rules }: Segment, segments: Segments): Inlined {
  const keys = included.length + excluded.length;
  if (keys > mostInlined)
    throw new NotExpressible(`names the segment "${key}", which has more than ${mostInlined} keys`);
  const clauses = rules.flatMap((rule) => rule.clauses);
  const size = keys + sizeOf(clauses, segments);
  requireSmall(size);
  const byRules = rules.map(({ clauses, shares = [] }) => {
    if (shares.length > 0) throw new NotExpressible(`names the segment "${key}", which has a percentage`);
    return all(clauses.map((clause) => clauseOf(clause, segments)));
  });
  const isIncluded = oneOf(TARGETING_KEY, included);
  if (byRules.length === 0) return { logic: isIncluded, size };
  const isMatched: Logic = { and: [{ '!': [oneOf(TARGETING_KEY, excluded)] }, { or: byRules }] };
  return { logic: { or: [isIncluded, isMatched] }, size };
}

function sizeOf(clauses: readonly Clause[], segments: Segments): number {
  let size = clauses.length;
  for (const { op, values } of clauses)
    for (const value of values) size += op === 'in_segment' ? segments(String(value)).size : 1;
  return size;
}

function requireSmall(size: number): void {
  if (size > mostInlined)
    throw new NotExpressible(`names segments with more than ${mostInlined} keys, clauses and values`);
}
