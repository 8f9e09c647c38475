import { attributeReader } from './attribute.ts';
import { bucketPrefix, unitOf } from './bucket.ts';
import type { CompiledBucketing, CompiledRollout, CompiledRuleset, Scope, UnitSource } from './compiled.ts';
import type { EvaluationContext } from './evaluation.ts';
import { Malformed } from './failure.ts';
import { type VendorHash, vendorHash, vendorUnitOf } from './hash/index.ts';
import { hashFraction } from './hash/sha1.ts';
import { DEFAULT_KIND, kindNamed } from './kind.ts';
import { type Bucketing, TARGETING_KEY, TOTAL_WEIGHT } from './ruleset.ts';
import { newScope } from './scope.ts';

/** What is hashed with the unit if there is no seed. */
export interface BucketingDefaults {
  readonly flagKey: string;
  /** For our own hash only. */
  readonly salt: string | undefined;
}

/** @throws Malformed */
export function compileBucketing(bucketing: Bucketing, defaults?: BucketingDefaults): CompiledBucketing {
  const { bucket_by = TARGETING_KEY, fallback_bucket_by = [], hash = 'fanion' } = bucketing;
  const units = { attributes: [bucket_by, ...fallback_bucket_by], kind: kindNamed(bucketing) };
  if (hash === 'fanion') return ownBucketing(bucketing, units, defaults);
  const vendor = vendorHash(hash);
  if (vendor === undefined) throw new Malformed(`unknown hash "${hash}"`);
  const seed = bucketing.seed ?? defaults?.flagKey;
  if (seed === undefined) throw new Malformed('a seed is needed');
  const places = placesOf(bucketing, vendor);
  return {
    ...unitFrom(units, vendorUnitOf),
    ofTargetingKey: undefined,
    place: (unit) => vendor.place(seed, unit, places),
    places,
    // Weights are rounded to 100000ths, so a third of the line is the nearest place, not the one below.
    end: (weight) => Math.round((weight * places) / TOTAL_WEIGHT),
  };
}

function ownBucketing({ seed }: Bucketing, units: Units, defaults: BucketingDefaults | undefined): CompiledBucketing {
  if (!seed && typeof defaults?.salt !== 'string') throw new Malformed('a rollout needs a salt or a seed');
  const prefix = bucketPrefix(seed ? { seed } : { flag_key: defaults?.flagKey ?? '', salt: defaults?.salt ?? '' });
  return {
    ...unitFrom(units, unitOf),
    ofTargetingKey: isTargetingKey(units) ? prefix : undefined,
    place: (unit) => hashFraction(prefix, unit),
    places: 1,
    end: (weight) => weight / TOTAL_WEIGHT,
  };
}

/** The number of places that a bucketing divides the line into; see `Bucketing.buckets`. */
export function placesOf({ buckets }: Bucketing, hash: VendorHash): number {
  if (buckets === undefined || !hash.adjustable) return hash.buckets;
  if (!Number.isInteger(buckets) || buckets < 1 || buckets > TOTAL_WEIGHT) {
    throw new Malformed(`the number of buckets must be a whole number from 1 to ${TOTAL_WEIGHT}`);
  }
  return buckets;
}

function isTargetingKey({ attributes, kind }: Units): boolean {
  return kind === undefined && attributes.length === 1 && attributes[0] === TARGETING_KEY;
}

type UnitOf = (value: unknown) => string | undefined;

/** Where units are read from: the first of the attributes that has a usable value, in one part of the context. */
interface Units {
  readonly attributes: readonly string[];
  readonly kind: string | undefined;
}

/** Reads the unit from the first of the attributes that has a usable value. */
function unitFrom({ attributes, kind }: Units, toUnit: UnitOf): Pick<CompiledBucketing, 'sources' | 'unit'> {
  const sources = attributes.map((attribute) => ({
    attribute: sourceName(attribute, kind),
    unit: unitReader(attribute, kind, toUnit),
  }));
  const [first] = sources;
  if (first !== undefined && sources.length === 1) return { sources, unit: first.unit };
  return { sources, unit: (scope) => firstSource(sources, scope)?.unit };
}

function firstSource(sources: readonly UnitSource[], scope: Scope): { attribute: string; unit: string } | undefined {
  for (const { attribute, unit: read } of sources) {
    const unit = read(scope);
    if (unit !== undefined) return { attribute, unit };
  }
  return undefined;
}

function unitReader(attribute: string, kind: string | undefined, toUnit: UnitOf): (scope: Scope) => string | undefined {
  if (attribute === TARGETING_KEY && kind === undefined) return (scope) => scope.unit;
  const read = attributeReader(attribute, kind);
  return (scope) => toUnit(read(scope));
}

/** The name of a unit's source: the context kind for its key, `organization.plan` for an attribute of that kind. */
function sourceName(attribute: string, kind: string | undefined): string {
  if (kind === undefined || (kind === DEFAULT_KIND && attribute === TARGETING_KEY)) return attribute;
  return attribute === TARGETING_KEY ? kind : `${kind}.${attribute}`;
}

/** The unit by which a rollout buckets a context, and its attribute; undefined without one. */
export function unitBehind(
  rollout: CompiledRollout,
  compiled: CompiledRuleset,
  context: EvaluationContext,
): { attribute: string; unit: string } | undefined {
  return firstSource(rollout.bucketing.sources, newScope(compiled, context));
}
