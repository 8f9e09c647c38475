import { type Bucketing, type Rollout, type Share, TARGETING_KEY, TOTAL_WEIGHT } from '@fanion/flag-engine';
import { NotExpressible } from '../../features/flags/evaluation/index.ts';
import { read, readsKind } from './clause-rules.ts';
import { all, any, differs, equals, it, joined, type Logic, merged, not, oneOf, unit } from './logic.ts';
import { shared } from './shared-tests.ts';

const defaultBuckets = 100;

/** Whether the context's unit is one of these. */
export function isUnit(keys: readonly string[]): Logic {
  return oneOf(
    unit,
    keys.filter((key) => key !== ''),
  );
}

/** How a division reads its units. */
interface Unit {
  readonly exists: Logic;
  readonly text: Logic;
}

/** @throws NotExpressible */
function unitOf({
  hash = 'fanion',
  bucket_by = TARGETING_KEY,
  fallback_bucket_by = [],
  context_kind,
}: Bucketing): Unit {
  if (hash !== 'flagd')
    throw new NotExpressible(
      `divides units by ${hash === 'fanion' ? 'its own hash' : `the hash ${hash}`}: the hash flagd would give units new variants`,
    );
  if (context_kind !== undefined) throw new NotExpressible(readsKind(context_kind));
  if (fallback_bucket_by.length > 0) throw new NotExpressible('divides units by several attributes: use one');
  if (bucket_by === TARGETING_KEY) return { exists: shared('fanion-unit'), text: unit };
  const value = read(bucket_by);
  const list = merged(value);
  return {
    // A list equals none of its elements, so it is not a unit.
    exists: all([{ in: [value, list] }, { some: [list, isUnitOfAnyType] }]),
    // In Go, booleans have no text.
    text: { if: [equals(value, true), 'true', value] },
  };
}

/** Texts, numbers and `true` identify units. */
const isUnitOfAnyType = any([
  all([shared('fanion-text'), differs(it, '')]),
  all([shared('fanion-number'), differs(it, 0)]),
  all([equals(it, true), shared('fanion-true')]),
]);

/** The places of the line from 0 up to a weight. */
const endOf = (weight: number, buckets: number) => Math.round((weight * buckets) / TOTAL_WEIGHT);

/**
 * Serves the variant of the context's unit. Without a unit, `skipped` is served, or the first variant, or the evaluation fails.
 *
 * @throws NotExpressible
 */
export function divided(
  rollout: Rollout,
  flagKey: string,
  { skipped, failed }: Readonly<Record<'skipped' | 'failed', Logic>>,
): Logic {
  const { exists, text } = unitOf(rollout);
  const { buckets = defaultBuckets, weights, seed = flagKey } = rollout;
  let sum = 0;
  const parts = weights.flatMap(({ variant, weight }): [string, number][] => {
    const from = endOf(sum, buckets);
    sum += weight;
    const places = endOf(sum, buckets) - from;
    return places === 0 ? [] : [[variant, places]];
  });
  const first = weights.find(({ weight }) => weight > 0)?.variant ?? failed;
  const without = rollout.missing === 'skip' ? skipped : mayFail(rollout) ? failed : first;
  return { if: [exists, fractional(joined(seed, text), parts), without] };
}

/** flagd's schema wants two parts or more. */
function fractional(hashed: Logic, parts: readonly (readonly [string, number])[]): Logic {
  const [first, ...others] = parts;
  return first !== undefined && others.length === 0 ? first[0] : { fractional: [hashed, ...parts] };
}

/** Whether a share admits the context's unit. @throws NotExpressible */
export function admits(share: Share): Logic {
  const { exists, text } = unitOf(share);
  const { buckets = defaultBuckets, seed, ranges, missing } = share;
  const admitted = ranges.map(([from, to]) => [endOf(from, buckets), endOf(to, buckets)] as const);
  const ends = [...new Set([0, buckets, ...admitted.flat()])].sort((a, b) => a - b);
  const parts = ends.slice(1).map((end, i): [string, number] => {
    const from = ends[i] ?? 0;
    const isIn = admitted.some(([first, last]) => first <= from && end <= last);
    return [isIn ? 'in' : 'out', end - from];
  });
  const isAdmitted = equals(fractional(joined(seed, text), parts), 'in');
  return missing === 'in' ? any([not(exists), isAdmitted]) : all([exists, isAdmitted]);
}

/** A flag with a division, for evaluators that divide units by the hash `flagd`. With others, callers get their default. */
export const whereHashed = (logic: Logic): Logic => ({ if: [shared('fanion-hash'), logic, null] });

/** Whether a rule with this rollout matches only contexts with a unit. @throws NotExpressible */
export function requiredUnit(rollout: Rollout): Logic | undefined {
  return rollout.missing === 'skip' ? unitOf(rollout).exists : undefined;
}

/** Whether evaluations fail without a unit. */
export function mayFail(rollout: Rollout): boolean {
  const { bucket_by = TARGETING_KEY, missing = 'first' } = rollout;
  return missing === 'first' && bucket_by === TARGETING_KEY;
}
