import { formatDuration, formatNumber, formatPercent } from '../../ui/format/index.ts';

/** What requests were like that saw a variant. Errors 0…1, p95 in nanoseconds; null where no request is known. */
export interface VariantEffect {
  readonly variant: string;
  readonly evaluations: number;
  readonly errors: number | null;
  readonly p95: number | null;
}

/** The window that the page of a flag shows, and the width of a bucket in its charts. */
export const EFFECT_WINDOW = { from: 'now-24h', to: 'now' };
export const EFFECT_BUCKET = '30m';

/** Evaluations, errors and p95 of the requests behind them, by variant over time. */
export function effectQuery(flag: string, bucket: string): string {
  return `flags ${JSON.stringify(flag)} | stats evaluations=count(), errors=ratio(span.status == error), p95=p95(span.duration) by variant, bucket(${bucket})`;
}

/** The same for the whole window, with the units that were served; failed evaluations have no variant. */
export function effectTotalsQuery(flag: string): string {
  return `flags ${JSON.stringify(flag)} | stats n=count(), units=count_distinct(unit), errors=ratio(span.status == error), p95=p95(span.duration) by variant | sort -n | limit 20`;
}

/** The rows of `effectTotalsQuery`; failed evaluations have no variant and are left out. */
export function readEffects(rows: readonly Record<string, unknown>[]): VariantEffect[] {
  const measured = (value: unknown) => {
    const number = value === null || value === undefined ? Number.NaN : Number(value);
    return Number.isFinite(number) ? number : null;
  };
  return rows.flatMap(({ variant, n, errors, p95 }) =>
    typeof variant === 'string' && variant !== ''
      ? [{ variant, evaluations: Number(n), errors: measured(errors), p95: measured(p95) }]
      : [],
  );
}

/** The sentence above the charts: what the most evaluated other variant is like beside the one that is served while off. */
export function effectSentence(effects: readonly VariantEffect[], off: string | null): string {
  const sorted = effects.toSorted((a, b) => b.evaluations - a.evaluations);
  const [first] = sorted;
  if (first === undefined) return 'No evaluations in the last 24 hours.';
  const base = sorted.find(({ variant }) => variant === off) ?? sorted[1];
  const other = sorted.find(({ variant }) => variant !== base?.variant) ?? first;
  if (base === undefined || base === other) {
    const facts = [
      ...(other.errors === null ? [] : [`${formatPercent(other.errors)} of requests failed`]),
      ...(other.p95 === null ? [] : [`p95 ${formatDuration(other.p95)}`]),
    ];
    return `In the last 24 hours, ${formatNumber(other.evaluations)} evaluations served ${other.variant}${facts.length === 0 ? '' : `: ${facts.join(', ')}`}.`;
  }
  const served = `In the last 24 hours, ${formatNumber(other.evaluations)} evaluations served ${other.variant} and ${formatNumber(base.evaluations)} served ${base.variant}`;
  const compared = [
    ...(other.errors === null || base.errors === null
      ? []
      : [
          `${formatPercent(other.errors)} of requests with ${other.variant} failed, ${formatPercent(base.errors)} with ${base.variant}`,
        ]),
    ...(other.p95 === null || base.p95 === null
      ? []
      : [`p95 was ${formatDuration(other.p95)} and ${formatDuration(base.p95)}`]),
  ];
  return compared.length === 0
    ? `${served}; none of their requests is known, since no evaluation carried its trace.`
    : `${served}: ${compared.join('; ')}.`;
}
