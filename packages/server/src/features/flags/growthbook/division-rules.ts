import {
  type Bucketing,
  type Flag,
  type JsonValue,
  type Rollout,
  type Share,
  TARGETING_KEY,
  TOTAL_WEIGHT,
  type Weight,
} from '@fanion/flag-engine';
import { NotExpressible } from '../evaluation/index.ts';
import type { Condition } from './condition.ts';
import { hasUnit, pathOf } from './condition-rules.ts';

/** The members of a rule that GrowthBook's evaluators read. */
export interface FeatureRule {
  readonly condition?: Condition;
  readonly parentConditions?: readonly object[];
  readonly force?: JsonValue;
  readonly range?: Range;
  readonly variations?: readonly JsonValue[];
  readonly ranges?: readonly Range[];
  readonly [member: string]: unknown;
}

type Range = readonly [from: number, to: number];

/** Where the units of a bucketing lie on the line, in GrowthBook's terms. */
interface Line {
  readonly attribute: string;
  readonly hashVersion: 1 | 2;
  /** Places on the line. */
  readonly places: number;
}

/** @throws NotExpressible */
function lineOf({
  hash = 'fanion',
  bucket_by = TARGETING_KEY,
  context_kind,
  fallback_bucket_by = [],
}: Bucketing): Line {
  if (hash !== 'growthbook_v1' && hash !== 'growthbook_v2')
    throw new NotExpressible(hash === 'fanion' ? 'divides units by its own hash' : `divides units by the hash ${hash}`);
  if (context_kind !== undefined) throw new NotExpressible(`reads the context kind "${context_kind}"`);
  if (fallback_bucket_by.length > 0) throw new NotExpressible('divides units by several attributes');
  const attribute = pathOf(bucket_by);
  if (attribute.includes('.')) throw new NotExpressible(`divides units by the nested attribute "${bucket_by}"`);
  return hash === 'growthbook_v1'
    ? { attribute, hashVersion: 1, places: 1_000 }
    : { attribute, hashVersion: 2, places: 10_000 };
}

const pointOf = (weight: number, places: number) => Math.round((weight * places) / TOTAL_WEIGHT) / places;

/** The shares of a rule as filters, and what contexts need so that they have a unit. @throws NotExpressible */
export function filtersOf(shares: readonly Share[]): { filters: object[]; conditions: Condition[] } {
  const lines = shares.map((share) => {
    if (share.missing === 'in') throw new NotExpressible('admits contexts without a unit to a percentage');
    return { share, line: lineOf(share) };
  });
  return {
    filters: lines.map(({ share: { seed, ranges }, line: { attribute, hashVersion, places } }) => ({
      ...{ seed, attribute, hashVersion },
      ranges: ranges.map(([from, to]) => [pointOf(from, places), pointOf(to, places)]),
    })),
    conditions: lines.map(({ line }) => hasUnit(line.attribute)),
  };
}

interface Piece {
  readonly weight: Weight;
  readonly value: JsonValue;
  readonly range: Range;
}

/**
 * A rollout as rules. The measured weights become one experiment, which SDKs report. Every other weight becomes a rule, which they
 * do not report.
 *
 * @throws NotExpressible
 */
export function dividedBy(flag: Flag, rollout: Rollout): { divided: FeatureRule[]; hasUnit: Condition } {
  const { attribute, hashVersion, places } = lineOf(rollout);
  const seed = rollout.seed ?? flag.key;
  if (seed === '') throw new NotExpressible('divides units with an empty seed');
  const pieces = piecesOf(flag, rollout, places);
  const isMeasured = ({ weight }: Piece) => rollout.tracked === true && weight.untracked !== true;
  const hashing = { hashAttribute: attribute, hashVersion, seed };
  const plain = pieces.filter((piece) => !isMeasured(piece));
  const rules = plain.map(({ value, range }): FeatureRule => ({ ...hashing, force: value, range }));
  const measured = pieces.filter(isMeasured);
  if (measured.length > 0) rules.push(experimentOf(flag, hashing, measured));
  return { divided: rules, hasUnit: hasUnit(attribute) };
}

function piecesOf(flag: Flag, { weights }: Rollout, places: number): Piece[] {
  let sum = 0;
  return weights.flatMap((weight) => {
    const from = pointOf(sum, places);
    sum += weight.weight;
    const to = pointOf(sum, places);
    const variant = flag.variants.find(({ key }) => key === weight.variant);
    if (variant === undefined) throw new NotExpressible(`serves the unknown variant "${weight.variant}"`);
    return from === to ? [] : [{ weight, value: variant.value, range: [from, to] as const }];
  });
}

function experimentOf({ key }: Flag, hashing: object, measured: readonly Piece[]): FeatureRule {
  const [first] = measured;
  // There, an experiment has at least two variations.
  const alone = measured.length === 1 && first !== undefined ? [{ ...first, range: [1, 1] as const }] : [];
  const all = [...measured, ...alone];
  return {
    ...hashing,
    key,
    variations: all.map(({ value }) => value),
    ranges: all.map(({ range }) => range),
    meta: all.map(({ weight }) => ({ key: weight.variant })),
    disableStickyBucketing: true,
  };
}
