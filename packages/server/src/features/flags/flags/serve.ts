import {
  type Bucketing,
  type BucketingDraft,
  type Clause,
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
  /** The largest weight that it will have beside a control group; absent: at most half. */
  readonly widest?: number | undefined;
}

/** Validation on write ensures that exactly one of both is set. */
export function toServe({ variant, rollout }: ServeDraft): Serve {
  if (rollout === undefined) return { variant: variant === undefined ? '' : variant };
  const { weights, layout, tracked, missing } = rollout;
  return {
    rollout: {
      weights: (layout ?? weights).map(({ variant, weight, untracked }) => ({
        variant,
        weight,
        ...(untracked === true && { untracked }),
      })),
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

/** What serves the fallthrough in place of the targeting. */
export interface HeldServe {
  readonly holder_id: string;
  readonly rollout: Rollout;
  /** Who gets the rollout; empty: everybody who gets the fallthrough. */
  readonly clauses: readonly Clause[];
}

/** The fallthrough while something holds it: a rule after all others where only an audience gets its rollout. */
export function heldServe(base: Serve, hold: HeldServe | undefined) {
  if (hold === undefined) return { fallthrough: base, rules: [] };
  const { rollout, clauses, holder_id: id } = hold;
  if (clauses.length === 0) return { fallthrough: { rollout }, rules: [] };
  return { fallthrough: base, rules: [{ id, clauses, rollout }] };
}

/** A variant's share of the fallthrough, of 100000. */
export function shareOf(serve: Serve, variant: string): number {
  if ('variant' in serve) return serve.variant === variant ? TOTAL_WEIGHT : 0;
  return serve.rollout.weights.reduce((sum, { variant: key, weight }) => (key === variant ? sum + weight : sum), 0);
}

/** Half of the line: the control units that a split tracks begin there, unless the variant will have more. */
const HALF = TOTAL_WEIGHT / 2;

/** Where the control group begins, so that the variant never reaches it. */
function controlStart(widest = 0): number {
  return Math.max(HALF, widest);
}

/** Units of the control group for each unit of the variant: as many, unless the variant will have more than half. */
export function controlRatio(widest?: number): number {
  const start = controlStart(widest);
  return (TOTAL_WEIGHT - start) / start;
}

/**
 * The fallthrough while a split serves `weight` of it to a variant. The variant keeps all of its places on the line and
 * grows from the first of them, to the end of the line and then to its start; the others keep what it does not reach. So
 * no unit leaves the variant, and no unit moves between the others. Salt, seed, hash and attribute stay: a percentage
 * that becomes a ramp moves no unit.
 *
 * Counted in the order in which the variant takes the line, the variant has [0, w), of which the part below 50 % is tracked, and
 * the control group is [50 %, 50 % + w). The rest is untracked: only its reason says that a rollout is active. So a step
 * of up to 50 % moves no unit that was measured from one arm to the other, and both arms are of the same size. What a step
 * above 50 % takes from the control group is no longer measured. If the variant will have W > 50 % beside a control group, this begins at
 * W and is (1 − W) / W times as large as the variant, at each step: what adds up over steps has one ratio.
 */
export function rampedServe(base: Serve, { variant, weight, bucket_by, widest }: RampState): { rollout: Rollout } {
  const kept: Omit<Rollout, 'weights'> = 'variant' in base ? {} : base.rollout;
  const parts = weightsNow(base).filter((part) => part.weight > 0);
  const first = Math.max(
    0,
    parts.findIndex((part) => part.variant === variant),
  );
  const start = controlStart(widest);
  const end = start + Math.ceil(weight * controlRatio(widest));
  const isMeasured = (place: number) => (place < start ? place < weight : place >= weight && place < end);
  let own = 0;
  let others = shareOf(base, variant);
  const cut = (part: Weight): Weight[] => {
    const isOwn = part.variant === variant;
    const from = isOwn ? own : others;
    if (isOwn) own += part.weight;
    else others += part.weight;
    return between(from, from + part.weight, [weight, start, end]).map(([begin, until]) => ({
      variant: isOwn || begin < weight ? variant : part.variant,
      weight: until - begin,
      ...(!isMeasured(begin) && { untracked: true }),
    }));
  };
  const after = parts.slice(first).flatMap(cut);
  const before = parts
    .slice(0, first)
    .toReversed()
    .map((part) => cut(part).toReversed());
  const { fallback_bucket_by: _, ...ofAnother } = kept;
  const units = bucket_by === null || bucket_by === kept.bucket_by ? kept : { ...ofAnother, bucket_by };
  return {
    rollout: { ...units, weights: joinedParts([...before.toReversed().flat(), ...after]), tracked: true, ramp: true },
  };
}

/** The stretches from `from` to `to`, cut at these places. */
function between(from: number, to: number, cuts: readonly number[]): [number, number][] {
  const inner = cuts.filter((cut) => cut > from && cut < to).sort((a, b) => a - b);
  const ends = [...inner, to];
  return [from, ...inner].map((begin, i) => [begin, ends[i] ?? to]);
}

/** For people: the shares of the variants, without what is tracked and where they lie. */
export function toldServe(serve: Serve): Serve {
  if ('variant' in serve) return serve;
  const { tracked: _, ramp: __, weights, ...rollout } = serve.rollout;
  const shares = new Map<string, number>();
  for (const { variant, weight } of weights) shares.set(variant, (shares.get(variant) ?? 0) + weight);
  return { rollout: { ...rollout, weights: [...shares].map(([variant, weight]) => ({ variant, weight })) } };
}

/** A code default has no weights: starting a ramp over one is rejected. */
function weightsNow(base: Serve): readonly Weight[] {
  if ('rollout' in base) return base.rollout.weights.map(({ variant, weight }) => ({ variant, weight }));
  return base.variant === null ? [] : [{ variant: base.variant, weight: TOTAL_WEIGHT }];
}

/** The fallthrough that a ramp leaves behind at its end. */
export function serveAfterRamp(base: Serve, ramp: RampState): ServeDraft {
  if (ramp.weight === TOTAL_WEIGHT) return { variant: ramp.variant };
  const { tracked: _, ramp: __, weights: measured, ...rollout } = rampedServe(base, ramp).rollout;
  const parts = joinedParts(measured.map(({ variant, weight }) => ({ variant, weight })));
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
