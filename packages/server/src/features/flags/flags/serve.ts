import {
  type Bucketing,
  type BucketingDraft,
  joinedParts,
  layoutAfter,
  type Rollout,
  type Serve,
  type ServeDraft,
  type Share,
  type ShareDraft,
  TOTAL_WEIGHT,
  type Weight,
} from '@fanion/flag-engine';

/** The part of a ramp that evaluation needs. */
export interface RampState {
  readonly variant: string;
  /** Of 100000. */
  readonly weight: number;
  readonly bucket_by: string | null;
}

/** Validation on write ensures that exactly one of both is set. */
export function toServe({ variant, rollout }: ServeDraft): Serve {
  if (rollout === undefined) return { variant: variant === undefined ? '' : variant };
  const { weights, layout, tracked, missing } = rollout;
  return {
    rollout: {
      weights: (layout ?? weights).map(({ variant, weight }) => ({ variant, weight })),
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

function toBucketing({ bucket_by, context_kind, fallback_bucket_by, hash, seed, buckets }: BucketingDraft): Bucketing {
  return {
    ...(bucket_by !== undefined && { bucket_by }),
    ...(context_kind !== undefined && { context_kind }),
    ...(fallback_bucket_by !== undefined && { fallback_bucket_by }),
    ...(hash !== undefined && { hash }),
    ...(seed !== undefined && { seed }),
    ...(buckets !== undefined && { buckets }),
  };
}

/** A variant's share of the fallthrough, of 100000. */
export function shareOf(serve: Serve, variant: string): number {
  if ('variant' in serve) return serve.variant === variant ? TOTAL_WEIGHT : 0;
  return serve.rollout.weights.reduce((sum, { variant: key, weight }) => (key === variant ? sum + weight : sum), 0);
}

/**
 * The fallthrough while a ramp serves `weight` of it. The variant keeps all of its places on the line and grows from
 * the first of them, to the end of the line and then to its start; the others keep what it does not reach. So no unit
 * leaves the variant, and no unit moves between the others. Salt, seed, hash and attribute stay: a percentage that
 * becomes a ramp moves no unit.
 */
export function rampedServe(base: Serve, { variant, weight, bucket_by }: RampState): { rollout: Rollout } {
  const kept: Omit<Rollout, 'weights'> = 'variant' in base ? {} : base.rollout;
  const parts = weightsNow(base).filter((part) => part.weight > 0);
  const first = Math.max(
    0,
    parts.findIndex((part) => part.variant === variant),
  );
  let missing = Math.max(0, weight - shareOf(base, variant));
  const take = (part: Weight): number => {
    if (part.variant === variant) return 0;
    const taken = Math.min(part.weight, missing);
    missing -= taken;
    return taken;
  };
  const after = parts.slice(first).flatMap((part) => {
    const taken = take(part);
    return [
      { variant, weight: taken },
      { ...part, weight: part.weight - taken },
    ];
  });
  const before = parts
    .slice(0, first)
    .toReversed()
    .flatMap((part) => {
      const taken = take(part);
      return [
        { variant, weight: taken },
        { ...part, weight: part.weight - taken },
      ];
    });
  const { fallback_bucket_by: _, ...ofAnother } = kept;
  const units = bucket_by === null || bucket_by === kept.bucket_by ? kept : { ...ofAnother, bucket_by };
  return { rollout: { ...units, weights: joinedParts([...before.toReversed(), ...after]), tracked: true } };
}

/** A code default has no weights: starting a ramp over one is rejected. */
function weightsNow(base: Serve): readonly Weight[] {
  if ('rollout' in base) return base.rollout.weights;
  return base.variant === null ? [] : [{ variant: base.variant, weight: TOTAL_WEIGHT }];
}

/** The fallthrough that a ramp leaves behind at its end. */
export function serveAfterRamp(base: Serve, ramp: RampState): ServeDraft {
  if (ramp.weight === TOTAL_WEIGHT) return { variant: ramp.variant };
  const { tracked: _, weights: parts, ...rollout } = rampedServe(base, ramp).rollout;
  const shares = new Map<string, number>();
  for (const { variant, weight } of parts) shares.set(variant, (shares.get(variant) ?? 0) + weight);
  const weights = [...shares].map(([variant, weight]) => ({ variant, weight }));
  return { rollout: { ...rollout, weights, ...(weights.length < parts.length && { layout: parts }) } };
}

/** The targeting after a write, laid out on the line of buckets so that the fewest units change their variant. */
export function laidOut<T extends ServeDraft>(before: ServeDraft, serve: T): T {
  if (serve.rollout === undefined) return serve;
  const { layout: _, ...rollout } = serve.rollout;
  const layout = layoutAfter(before, serve.rollout);
  return { ...serve, rollout: { ...rollout, ...(layout !== undefined && { layout }) } };
}

/** With an explicit layout, also if the weights are in the order in which they are written. */
export function withLayout<T extends ServeDraft>(serve: T): T {
  if (serve.rollout === undefined) return serve;
  const { layout, weights } = serve.rollout;
  return { ...serve, rollout: { ...serve.rollout, layout: layout ?? weights } };
}
