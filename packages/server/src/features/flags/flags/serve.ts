import {
  type Bucketing,
  type BucketingDraft,
  type Rollout,
  type Serve,
  type ServeDraft,
  type Share,
  type ShareDraft,
  TOTAL_WEIGHT,
  type Weight,
} from '@fanion/flag-engine';

/** A ramp as far as evaluation knows it. */
export interface RampState {
  readonly variant: string;
  /** Of 100000. */
  readonly weight: number;
  readonly bucket_by: string | null;
}

/** What was checked on write has exactly one of the two. */
export function toServe({ variant, rollout }: ServeDraft): Serve {
  if (rollout === undefined) return { variant: variant === undefined ? '' : variant };
  const { weights, tracked, missing } = rollout;
  return {
    rollout: {
      weights: weights.map(({ variant, weight }) => ({ variant, weight })),
      ...toBucketing(rollout),
      ...(tracked === true && { tracked }),
      ...(missing !== undefined && { missing }),
    },
  };
}

export function toShare(share: ShareDraft): Share {
  const { seed, ranges, missing } = share;
  return { ...toBucketing(share), seed, ranges, ...(missing !== undefined && { missing }) };
}

function toBucketing({ bucket_by, fallback_bucket_by, hash, seed, buckets }: BucketingDraft): Bucketing {
  return {
    ...(bucket_by !== undefined && { bucket_by }),
    ...(fallback_bucket_by !== undefined && { fallback_bucket_by }),
    ...(hash !== undefined && { hash }),
    ...(seed !== undefined && { seed }),
    ...(buckets !== undefined && { buckets }),
  };
}

/** The share of a variant in what is served to all; of 100000. */
export function shareOf(serve: Serve, variant: string): number {
  if ('variant' in serve) return serve.variant === variant ? TOTAL_WEIGHT : 0;
  return serve.rollout.weights.reduce((sum, { variant: key, weight }) => (key === variant ? sum + weight : sum), 0);
}

/**
 * The fallthrough while a ramp serves `weight` of it. The variant grows around where it lies on the line of buckets now,
 * and all others keep the part of theirs that it does not reach, so that nobody leaves the variant and nobody moves between
 * the others. Salt, seed, hash and attribute stay: a percentage that becomes a ramp moves no unit.
 */
export function rampedServe(base: Serve, { variant, weight, bucket_by }: RampState): { rollout: Rollout } {
  const before = weightsNow(base);
  const kept: Omit<Rollout, 'weights'> = 'variant' in base ? {} : base.rollout;
  const place = intervals(before).find((interval) => interval.variant === variant);
  const from = Math.min(place?.from ?? 0, TOTAL_WEIGHT - weight);
  const to = from + weight;
  const weights: Weight[] = [];
  let placed = false;
  for (const interval of intervals(before)) {
    const left = Math.min(interval.to, from) - interval.from;
    const right = interval.to - Math.max(interval.from, to);
    if (interval.variant !== variant && left > 0) weights.push({ variant: interval.variant, weight: left });
    if (!placed && interval.to > from) {
      weights.push({ variant, weight });
      placed = true;
    }
    if (interval.variant !== variant && right > 0) weights.push({ variant: interval.variant, weight: right });
  }
  const { fallback_bucket_by: _, ...ofAnother } = kept;
  const units = bucket_by === null || bucket_by === kept.bucket_by ? kept : { ...ofAnother, bucket_by };
  return { rollout: { ...units, weights, tracked: true } };
}

/** A code default has no weights: a ramp over one is refused when it starts. */
function weightsNow(base: Serve): readonly Weight[] {
  if ('rollout' in base) return base.rollout.weights;
  return base.variant === null ? [] : [{ variant: base.variant, weight: TOTAL_WEIGHT }];
}

/** The fallthrough that a ramp leaves behind at its end. */
export function serveAfterRamp(base: Serve, ramp: RampState): Serve {
  if (ramp.weight === TOTAL_WEIGHT) return { variant: ramp.variant };
  const { tracked: _, ...rollout } = rampedServe(base, ramp).rollout;
  return { rollout };
}

function intervals(weights: readonly Weight[]): { variant: string; from: number; to: number }[] {
  let end = 0;
  return weights
    .filter(({ weight }) => weight > 0)
    .map(({ variant, weight }) => {
      const from = end;
      end += weight;
      return { variant, from, to: end };
    });
}
