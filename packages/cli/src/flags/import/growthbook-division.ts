import { TOTAL_WEIGHT } from '@fanion/flag-engine';
import { type Fields, fieldsListOf, fieldsOf, listOf, numberOf, textOf } from '../../files/fields.ts';
import { NoEqual } from '../../files/report.ts';
import type { RolloutDocument, RuleDocument, ServeDocument } from '../document.ts';
import { attributeOf } from './growthbook-condition.ts';

type Shares = NonNullable<RuleDocument['shares']>;
type Range = readonly [from: number, to: number];

/** The share of units that a rule applies to, and what it serves to them. */
export interface Division {
  readonly shares: Shares;
  readonly serve: ServeDocument;
}

export interface RuleFacts {
  /** Key of the feature, which is the seed when the rule has none. */
  readonly feature: string;
  readonly variantOf: (value: unknown) => string;
}

/**
 * A rule that serves one value to some of the units. Its coverage includes the bucket that it ends on.
 *
 * @throws NoEqual
 */
export function forcedDivision(rule: Fields, { feature, variantOf }: RuleFacts): Division {
  const serve = { variant: variantOf(rule.force) };
  const shares = filtersOf(rule);
  const range = rangeOf(rule.range);
  const coverage = rule.coverage === undefined ? undefined : (numberOf(rule.coverage) ?? 0);
  if (range === undefined && coverage === undefined) return { shares, serve };
  const bucketing = bucketingOf(rule, textOf(rule.seed) ?? feature);
  const { places } = bucketing;
  const [from, to] = range ?? nobody;
  const end =
    range === undefined && coverage !== undefined && coverage > 0
      ? lastPlace(coverage, places) + 1
      : placeAt(to, places);
  const ranges = [onLine([placeAt(from, places), Math.min(places, end)], places)];
  return { shares: [...shares, { ...bucketing.fields, seed: bucketing.seed, ranges }], serve };
}

/**
 * An experiment: filters or a namespace, then ranges of the line for each variation. Units outside of them continue with
 * the next rule, as do those of a pass-through variation (a holdout). Undefined when GrowthBook skips the rule.
 *
 * @throws NoEqual
 */
export function experimentDivision(rule: Fields, { feature, variantOf }: RuleFacts): Division | undefined {
  const variations = listOf(rule.variations);
  if (variations.length < 2) return undefined;
  const bucketing = bucketingOf(rule, textOf(rule.seed) ?? textOf(rule.key) ?? feature);
  const { fields, seed, places } = bucketing;
  const shares = rule.filters === undefined ? namespaceOf(rule) : filtersOf(rule);
  const meta = listOf(rule.meta).map(fieldsOf);
  const parts = rangesOf(rule, variations.length).map(([from, to], i) => ({
    variant: variantOf(variations[i]),
    passes: meta[i]?.passthrough === true,
    from: placeAt(from, places),
    to: placeAt(to, places),
  }));
  const cuts = [...new Set([0, places, ...parts.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
  const pieces: { variant: string | undefined; from: number; to: number }[] = [];
  for (const [i, from] of cuts.entries()) {
    const to = cuts[i + 1];
    if (to === undefined) break;
    const part = parts.find((each) => each.from <= from && to <= each.to);
    const variant = part === undefined || part.passes ? undefined : part.variant;
    const last = pieces.at(-1);
    if (last !== undefined && last.variant === variant) last.to = to;
    else pieces.push({ variant, from, to });
  }
  const served = pieces.filter(({ variant }) => variant !== undefined);
  const [first] = served;
  if (first?.variant === undefined) return undefined;
  const isWhole = served.length === pieces.length;
  const covered = { ...fields, seed, ranges: served.map(({ from, to }) => onLine([from, to], places)) };
  // Units in a gap never reach this point, so what a gap serves does not matter.
  const weights = weightsOf(pieces, first.variant, places);
  return {
    shares: isWhole ? shares : [...shares, covered],
    serve: { rollout: { ...fields, seed, weights, missing: 'skip' } },
  };
}

function weightsOf(
  pieces: readonly { variant: string | undefined; from: number; to: number }[],
  filler: string,
  places: number,
): RolloutDocument['weights'] {
  const unit = TOTAL_WEIGHT / places;
  return pieces.map(({ variant = filler, from, to }) => ({ variant, weight: (to - from) * unit }));
}

interface HashOf {
  readonly fields: { readonly hash: 'growthbook_v1' | 'growthbook_v2'; readonly bucket_by?: string };
  readonly seed: string;
  readonly places: number;
}

function bucketingOf(rule: Fields, seed: string): HashOf {
  return hashOf(rule.hashVersion, 1, textOf(rule.hashAttribute), seed);
}

function hashOf(given: unknown, otherwise: 1 | 2, attribute: string | undefined, seed: string): HashOf {
  const version = given === undefined || given === 0 || given === null ? otherwise : given;
  if (version !== 1 && version !== 2) throw new NoEqual(`its hash version ${String(version)} is not supported here`);
  const bucket_by = attributeOf(attribute ?? 'id');
  return {
    fields: {
      hash: version === 1 ? 'growthbook_v1' : 'growthbook_v2',
      ...(bucket_by !== 'targetingKey' && { bucket_by }),
    },
    seed,
    places: version === 1 ? 1_000 : 10_000,
  };
}

/** A namespace is a share of the experiment's units, by version 1 of the hash. */
function namespaceOf(rule: Fields): Shares {
  const [name, from, to] = listOf(rule.namespace);
  if (name === undefined) return [];
  const { fields, seed, places } = hashOf(1, 1, textOf(rule.hashAttribute), `__${String(name)}`);
  const range: Range = [placeAt(numberOf(from) ?? 0, places), placeAt(numberOf(to) ?? 0, places)];
  return [{ ...fields, seed, ranges: [onLine(range, places)] }];
}

function filtersOf(rule: Fields): Shares {
  return fieldsListOf(rule.filters).map((filter) => {
    const { fields, seed, places } = hashOf(filter.hashVersion, 2, textOf(filter.attribute), textOf(filter.seed) ?? '');
    const ranges = listOf(filter.ranges).map((range) => {
      const [from, to] = rangeOf(range) ?? nobody;
      return onLine([placeAt(from, places), placeAt(to, places)], places);
    });
    return { ...fields, seed, ranges: ranges.length > 0 ? ranges : [[0, 0]] };
  });
}

const nobody: Range = [0, 0];

function rangeOf(given: unknown): Range | undefined {
  const [from, to] = listOf(given);
  return given === undefined || given === null ? undefined : [numberOf(from) ?? 0, numberOf(to) ?? 0];
}

/** The ranges of the variations: as given, else by weights and coverage. */
function rangesOf(rule: Fields, count: number): Range[] {
  const given = listOf(rule.ranges);
  if (given.length > 0) return given.map((range) => rangeOf(range) ?? nobody);
  const coverage = Math.min(1, Math.max(0, numberOf(rule.coverage) ?? 1));
  const weights = listOf(rule.weights).map((weight) => numberOf(weight) ?? 0);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const usable = weights.length === count && sum >= 0.99 && sum <= 1.01;
  let start = 0;
  return (usable ? weights : Array.from({ length: count }, () => 1 / count)).map((weight): Range => {
    const from = start;
    start += weight;
    return [from, from + coverage * weight];
  });
}

/** The first place at or above a point: a unit's number is its place divided by the number of places. */
function placeAt(point: number, places: number): number {
  let place = Math.max(0, Math.min(places, Math.floor(point * places)));
  while (place > 0 && (place - 1) / places >= point) place--;
  while (place < places && place / places < point) place++;
  return place;
}

/** The last place at or below a point. */
function lastPlace(point: number, places: number): number {
  const place = placeAt(point, places);
  return place / places <= point ? place : place - 1;
}

/** Places as 100000ths of the line. */
function onLine([from, to]: Range, places: number): [number, number] {
  const unit = TOTAL_WEIGHT / places;
  return [Math.min(from, to) * unit, to * unit];
}
