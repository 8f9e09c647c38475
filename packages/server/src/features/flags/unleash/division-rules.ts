import { type Bucketing, type Rollout, type Rule, TARGETING_KEY, TOTAL_WEIGHT } from '@fanion/flag-engine';
import { NotExpressible } from '../evaluation/index.ts';

/** The part of all units that a strategy admits. */
export interface Part {
  readonly groupId: string;
  readonly stickiness: string;
  /** A whole number of percent. */
  readonly rollout: number;
}

/** Places on the line that each variant gets. */
export interface Division {
  readonly groupId: string;
  readonly stickiness: string;
  readonly weights: readonly { readonly variant: string; readonly weight: number }[];
}

/** The percentage before a rule; undefined: it has none. @throws NotExpressible */
export function partOf({ shares = [] }: Pick<Rule, 'shares'>): Part | undefined {
  const [share, second] = shares;
  if (share === undefined) return undefined;
  const [range, another] = share.ranges;
  if (second !== undefined || range === undefined || another !== undefined || range[0] !== 0)
    throw new NotExpressible('has a rule with several ranges of units');
  if (share.missing === 'in') throw new NotExpressible('includes contexts without a unit in a percentage');
  return percentage(share, range[1], share.seed);
}

/**
 * A percentage of a boolean flag, which enables the flag for its first units.
 *
 * @throws NotExpressible
 */
export function partOfRollout(rollout: Rollout, isTrue: (variant: string) => boolean, flagKey: string): Part {
  const weights = rollout.weights.filter(({ weight }) => weight > 0);
  const rest = weights.findIndex(({ variant }) => !isTrue(variant));
  if (rest < 1 || weights.slice(rest).some(({ variant }) => isTrue(variant)))
    throw new NotExpressible('serves true to another than the first part of a percentage');
  if (rollout.missing !== 'skip') throw new NotExpressible('serves a percentage to contexts without a unit');
  const share = weights.slice(0, rest).reduce((sum, { weight }) => sum + weight, 0);
  return percentage(rollout, share, rollout.seed ?? flagKey);
}

function percentage(bucketing: Bucketing, share: number, seed: string): Part {
  requireHash(bucketing, 'unleash', seed);
  const rollout = (share * 100) / TOTAL_WEIGHT;
  if (!Number.isInteger(rollout) || (bucketing.buckets ?? 100) !== 100)
    throw new NotExpressible('has a percentage that is not a whole number');
  const sticky = stickinessOf(bucketing);
  return { groupId: seed, stickiness: sticky, rollout };
}

/** @throws NotExpressible */
export function divisionOf(rollout: Rollout, flagKey: string): Division {
  const seed = rollout.seed ?? flagKey;
  requireHash(rollout, 'unleash_variants', seed);
  const { buckets = 1_000 } = rollout;
  let sum = 0;
  let before = 0;
  const weights = rollout.weights.map(({ variant, weight }) => {
    sum += weight;
    const end = Math.round((sum * buckets) / TOTAL_WEIGHT);
    const places = end - before;
    before = end;
    return { variant, weight: places };
  });
  return { groupId: seed, stickiness: stickinessOf(rollout), weights };
}

function requireHash({ hash = 'fanion' }: Bucketing, wanted: string, seed: string): void {
  if (hash !== wanted) throw new NotExpressible(`divides units by the hash ${hash}, which Unleash's SDKs do not have`);
  // SDKs replace an empty group, and hash other characters in different ways.
  if (!/^[!-~]+$/.test(seed)) throw new NotExpressible('divides units with a seed that is not plain ASCII');
}

/** Without a unit, SDKs choose at random by `default`, and never admit a context by another field. */
function stickinessOf({ bucket_by = TARGETING_KEY, fallback_bucket_by = [], context_kind }: Bucketing): string {
  if (context_kind !== undefined) throw new NotExpressible('reads a context kind');
  const [second, third, ...more] = fallback_bucket_by;
  if (second === undefined) return fieldOf(bucket_by);
  const isDefault = bucket_by === TARGETING_KEY && second === 'sessionId' && more.length === 0;
  if (isDefault && (third === undefined || third === 'remoteAddress')) return 'default';
  throw new NotExpressible('divides units by the first of several attributes');
}

function fieldOf(attribute: string): string {
  if (attribute === TARGETING_KEY) return 'userId';
  const isPlain = !attribute.startsWith('/') && !(attribute in Object.prototype);
  if (!isPlain || ['default', 'random', 'now', 'properties', 'currentTime', '__proto__'].includes(attribute))
    throw new NotExpressible(`divides units by the attribute "${attribute}"`);
  return attribute;
}
