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

/** With fewer traces the shares of variants say little. */
const FEW = 20;
/** How many times as often a variant fails before it is named. */
const TIMES = 2;

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
  const enough = others.filter(({ traces }) => traces >= FEW);
  if (worst === undefined || worst.traces < FEW || worst.failing < 3 || enough.length === 0) return undefined;
  const [seen, failing] = [
    enough.reduce((sum, { traces }) => sum + traces, 0),
    enough.reduce((sum, one) => sum + one.failing, 0),
  ];
  if (failing === 0)
    return `Only traces with ${worst.variant} have it: ${formatPercent(worst.share)} of ${worst.traces}`;
  const times = worst.share / (failing / seen);
  return times < TIMES ? undefined : `${times.toFixed(1)} times as often with ${worst.variant}`;
}
