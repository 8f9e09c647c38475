import { formatPercent } from '../../ui/format/index.ts';
import { describeServe, servedText } from '../flags/describe.ts';
import type { Draft, Serve } from '../flags/draft.ts';
import { TOTAL, type Weight } from '../flags/weights.ts';

/** Where a release can be set with one click, out of 100000. */
export const STOPS = [0, 1_000, 10_000, 50_000, TOTAL] as const;

/** `off`, `10%`, `all`. */
export function stopText(weight: number): string {
  return weight === 0 ? 'off' : weight === TOTAL ? 'all' : formatPercent(weight / TOTAL);
}

/** A variant's share of what everybody else gets, out of 100000. */
export function shareOf(serve: Serve, variant: string): number {
  if (serve.kind === 'variant') return serve.variant === variant ? TOTAL : 0;
  return serve.weights.reduce((sum, one) => (one.variant === variant ? sum + one.weight : sum), 0);
}

interface Variants {
  readonly variants: readonly { readonly key: string }[];
  readonly off_variant: string | null;
}

/** The variant that a release is about: the one that part of the units have now, else the first that is not served while the flag is off. */
export function releasedVariant({ variants, off_variant }: Variants, serve: Serve): string {
  const others = variants.map(({ key }) => key).filter((key) => key !== off_variant);
  return others.toSorted((a, b) => shareOf(serve, b) - shareOf(serve, a))[0] ?? variants[0]?.key ?? '';
}

/**
 * The targeting with this share of everybody else on the variant; 0 turns the flag off. The other variants keep their proportions, and the attribute and
 * the seed stay, so that the server moves as few units as possible. Undefined: no variant is left for the rest.
 */
export function withShare(flag: Variants, draft: Draft, variant: string, weight: number): Draft | undefined {
  if (weight === 0) return { ...draft, enabled: false };
  if (weight === TOTAL) return { ...draft, enabled: true, fallthrough: { kind: 'variant', variant } };
  const { fallthrough } = draft;
  const rest = restOf(flag, fallthrough, variant, TOTAL - weight);
  if (rest === undefined) return undefined;
  const kept = fallthrough.kind === 'split' ? fallthrough : { kind: 'split' as const, bucketBy: '', seed: '' };
  return { ...draft, enabled: true, fallthrough: { ...kept, weights: [{ variant, weight }, ...rest] } };
}

/** What the others get of this weight. */
function restOf(
  { variants, off_variant }: Variants,
  serve: Serve,
  variant: string,
  total: number,
): Weight[] | undefined {
  const others =
    serve.kind === 'split'
      ? serve.weights.filter((one) => one.variant !== variant && one.weight > 0)
      : serve.variant === null || serve.variant === variant
        ? []
        : [{ variant: serve.variant, weight: TOTAL }];
  const sum = others.reduce((all, { weight }) => all + weight, 0);
  if (sum === 0) {
    const isOther = (key: string) => key !== variant;
    const control =
      off_variant !== null && isOther(off_variant) ? off_variant : variants.map(({ key }) => key).find(isOther);
    return control === undefined ? undefined : [{ variant: control, weight: total }];
  }
  const scaled = others.map((one) => ({ ...one, weight: Math.floor((one.weight * total) / sum) }));
  const missing = total - scaled.reduce((all, { weight }) => all + weight, 0);
  return scaled.map((one, i) => (i === 0 ? { ...one, weight: one.weight + missing } : one));
}

/** What is served now, in one sentence. */
export function servedNowText({ enabled, offVariant, fallthrough, targets, rules }: Draft): string {
  if (!enabled) return `Off: everybody gets ${servedText(offVariant)}.`;
  const who = targets.length + rules.length > 0 ? 'Everybody else, after targets and rules,' : 'Everybody';
  return `${who} gets ${describeServe(fallthrough)}.`;
}
