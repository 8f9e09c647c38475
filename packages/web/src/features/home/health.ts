import type { Tone } from '../../alerting/states.ts';
import { formatDuration, formatPercent } from '../../ui/format/index.ts';
import { ALARMING, ENTRY_SPANS } from '../services/service-health.ts';

/** How a service did in the window, and in the equally long one before it. Durations in nanoseconds, errors 0…1. */
export interface ServiceNow {
  readonly service: string;
  readonly requests: number;
  readonly requestsBefore: number;
  readonly rate: number;
  readonly errors: number;
  readonly errorsBefore: number | null;
  readonly p99: number;
  readonly p99Before: number | null;
}

export interface Judgement {
  readonly tone: Extract<Tone, 'firing' | 'pending' | 'ok'>;
  /** The reason for the tone; empty if all is well. */
  readonly why: string;
}

/** Below this share of failed requests a service counts as healthy; 0…1. */
const NOTICEABLE = 0.01;
/** How many times as slow as before is noticeable, and how many alarming. */
const SLOWER = 1.5;
const MUCH_SLOWER = 3;
/** With fewer requests a single one decides the p99. */
const FEW = 100;
/** One failed request is no incident. */
const FEW_FAILED = 3;

/** Compares the window of `length` milliseconds with the one before it. */
export function healthNowQuery(length: number): string {
  const measures = 'n=count(), rate=count()/window, errors=ratio(status == error), p99=p99(duration)';
  const seconds = Math.max(1, Math.round(length / 1_000));
  return `spans | where ${ENTRY_SPANS} | stats ${measures} by service.name | compare ${seconds}s`;
}

/** The rows of `healthNowQuery`. */
export function readHealthNow(rows: readonly Record<string, unknown>[]): ServiceNow[] {
  const number = (value: unknown) => (value === null || value === undefined ? null : Number(value));
  return rows.map((row) => ({
    service: String(row['service.name'] ?? ''),
    requests: number(row.n) ?? 0,
    requestsBefore: number(row.n_before) ?? 0,
    rate: number(row.rate) ?? 0,
    errors: number(row.errors) ?? 0,
    errorsBefore: number(row.errors_before),
    p99: number(row.p99) ?? 0,
    p99Before: number(row.p99_before),
  }));
}

/** The worst of errors and p99. Errors are judged by themselves, durations by what they were before. */
export function judge({ requests, requestsBefore, errors, p99, p99Before }: ServiceNow): Judgement {
  const failed = errors * requests;
  if (errors >= ALARMING && failed >= FEW_FAILED)
    return { tone: 'firing', why: `${formatPercent(errors)} of requests fail` };
  const isComparable = requests >= FEW && requestsBefore >= FEW && p99Before !== null && p99Before > 0;
  const times = isComparable ? p99 / p99Before : 1;
  const slower = `p99 is ${times.toFixed(1)} times as long as before (${formatDuration(p99Before)})`;
  if (times >= MUCH_SLOWER) return { tone: 'firing', why: slower };
  if (errors >= NOTICEABLE && failed >= FEW_FAILED)
    return { tone: 'pending', why: `${formatPercent(errors)} of requests fail` };
  return times >= SLOWER ? { tone: 'pending', why: slower } : { tone: 'ok', why: '' };
}

const ORDER: readonly Judgement['tone'][] = ['firing', 'pending', 'ok'];

/** The services with their judgement, the worst first: by tone, then by the share of failed requests, then by requests. */
export function worstServicesFirst(
  services: readonly ServiceNow[],
): (ServiceNow & { readonly judgement: Judgement })[] {
  return services
    .map((service) => ({ ...service, judgement: judge(service) }))
    .toSorted(
      (a, b) =>
        ORDER.indexOf(a.judgement.tone) - ORDER.indexOf(b.judgement.tone) ||
        b.errors - a.errors ||
        b.requests - a.requests ||
        a.service.localeCompare(b.service),
    );
}

/** `▲ 2.1 points`, `▼ 12%`: how a number moved; undefined if it did not, or nothing was before. */
export function movedText(now: number, before: number | null, kind: 'share' | 'ratio'): string | undefined {
  if (before === null) return undefined;
  const change = kind === 'share' ? (now - before) * 100 : before === 0 ? 0 : now / before - 1;
  const isVisible = kind === 'share' ? Math.abs(change) >= 0.05 : Math.abs(change) >= 0.05;
  if (!isVisible) return undefined;
  const arrow = change > 0 ? '▲' : '▼';
  const size = Math.abs(change);
  if (kind === 'share') return `${arrow} ${size.toFixed(1)} points`;
  return `${arrow} ${size >= 1 ? `${(size + 1).toFixed(1)}×` : formatPercent(Math.round(size * 100) / 100)}`;
}
