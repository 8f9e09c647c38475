import type { Tone } from '../../alerting/states.ts';
import { formatPercent } from '../../ui/format/index.ts';
import type { ErrorDetail, ErrorGroup } from './queries.ts';

/** What an error is called: its type, or its message if it has none. */
export function nameOf({ type, message }: Pick<ErrorGroup, 'type' | 'message'>): string {
  return type !== '' ? type : message !== '' ? message : 'Error without a type';
}

/** A regression and what is new come before what is known. */
export function stateText({
  state,
  is_regression,
  new_since,
}: Pick<ErrorGroup, 'state' | 'is_regression' | 'new_since'>): {
  readonly label: string;
  readonly tone: Tone;
} {
  if (state === 'resolved') return { label: 'Resolved', tone: 'ok' };
  if (state === 'ignored') return { label: 'Ignored', tone: 'off' };
  if (is_regression) return { label: 'Regression', tone: 'firing' };
  return new_since === null ? { label: 'Open', tone: 'pending' } : { label: 'New', tone: 'firing' };
}

type Variant = ErrorDetail['variants'][number];

export interface FlagVariants {
  readonly flag: string;
  readonly variants: readonly (Variant & { readonly share: number })[];
  /** What stands out, in a sentence; undefined if the variants fail alike, or only one was seen. */
  readonly finding: string | undefined;
}

/** A variant is named only if chance alone gives it that many of the failing traces less often than this. */
const CHANCE = 0.01;

/** The share of traces with the error, by variant; the flag with the largest difference first. */
export function byFlag(variants: readonly Variant[]): FlagVariants[] {
  const flags = [...new Set(variants.map(({ flag }) => flag))];
  return flags
    .map((flag) => {
      const own = variants
        .filter((one) => one.flag === flag)
        .map((one) => ({ ...one, share: one.traces === 0 ? 0 : one.failing / one.traces }))
        .toSorted((a, b) => b.share - a.share || a.variant.localeCompare(b.variant));
      return { flag, variants: own, finding: findingOf(own), spread: (own[0]?.share ?? 0) - (own.at(-1)?.share ?? 0) };
    })
    .toSorted((a, b) => b.spread - a.spread || a.flag.localeCompare(b.flag))
    .map(({ spread: _, ...one }) => one);
}

function findingOf(variants: readonly (Variant & { readonly share: number })[]): string | undefined {
  const [worst, ...others] = variants;
  if (worst === undefined || others.length === 0) return undefined;
  const sum = (of: readonly Variant[], key: 'traces' | 'failing') => of.reduce((all, one) => all + one[key], 0);
  const [seen, failing] = [sum(others, 'traces'), sum(others, 'failing')];
  if (seen === 0) return undefined;
  // One of several variants is the worst by chance, too.
  const chance =
    variants.length * atLeast(worst.failing, worst.failing + failing, worst.traces / (worst.traces + seen));
  if (chance > CHANCE) return undefined;
  if (failing === 0)
    return `Only traces with ${worst.variant} have it: ${formatPercent(worst.share)} of ${worst.traces}`;
  return `${(worst.share / (failing / seen)).toFixed(1)} times as often with ${worst.variant}`;
}

/** The probability of `k` or more successes in `n` trials of probability `p`. */
function atLeast(k: number, n: number, p: number): number {
  if (k <= 0 || p >= 1) return 1;
  if (p <= 0) return 0;
  // From the logarithm of the first term, since the terms of large n are too small for numbers.
  let log = k * Math.log(p) + (n - k) * Math.log1p(-p);
  for (let i = 0; i < k; i++) log += Math.log(n - i) - Math.log(k - i);
  let sum = 0;
  for (let i = k; i <= n; i++) {
    sum += Math.exp(log);
    log += Math.log(n - i) - Math.log(i + 1) + Math.log(p) - Math.log1p(-p);
  }
  return Math.min(1, sum);
}
