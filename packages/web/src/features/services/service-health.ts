import { getServiceMap } from '@fanion/contract';
import type { SloSearch } from '../../alerting/slo-search.ts';
import { routeQuery } from '../../api/queries.ts';
import { completeBuckets } from '../../telemetry/bucket-width.ts';
import type { FieldScope } from '../../telemetry/field-hints.ts';
import { FLAG_EVALUATION } from '../../telemetry/flag-evaluation.ts';
import { quote, type Result } from '../../telemetry/oql.ts';
import type { Point } from '../../ui/chart/series.ts';
import { alignSeries } from '../../ui/chart/series.ts';
import { toDate } from '../../ui/format/index.ts';

/** Requests that a service handles: its server spans, and the messages that it consumes. */
export const ENTRY_SPANS = '(kind == server or kind == consumer)';

/** Error rates at or above this are colored; 0…1. */
export const ALARMING = 0.05;

/** Rate, errors and duration of a service in a window. Rate per second, errors 0…1, durations in nanoseconds. */
export interface ServiceHealth {
  rate: number;
  errors: number;
  p50: number;
  p99: number;
}

/** What a service did in a window. Errors 0…1, durations in nanoseconds; null where it had no requests. */
export interface WindowNumbers {
  readonly requests: number;
  /** Per second. */
  readonly rate: number;
  readonly errors: number | null;
  readonly p50: number | null;
  readonly p99: number | null;
}

export function healthQuery(): string {
  return `spans | where ${ENTRY_SPANS} | stats rate=count()/window, errors=ratio(status == error), p50=p50(duration), p99=p99(duration) by service.name`;
}

/** Rate, errors and latency of a service in each bucket. */
export function seriesQuery(service: string, bucket: string): string {
  return `${requestsOf(service)} | stats rate=count()/window, errors=ratio(status == error), p50=p50(duration), p99=p99(duration) by bucket(${bucket})`;
}

/** The charts of a service, each as a separate query. */
export function chartChoices(service: string): { label: string; query: string }[] {
  const of = (label: string, measure: string) => ({
    label,
    query: `${requestsOf(service)} | stats ${measure} by bucket(auto)`,
  });
  return [
    of('Requests', 'rate=count()/window'),
    of('Errors', 'errors=ratio(status == error)'),
    of('Latency', 'p50=p50(duration), p99=p99(duration)'),
  ];
}

/** The same of a whole window. */
export function windowQuery(service: string): string {
  return `${requestsOf(service)} | stats n=count(), rate=count()/window, errors=ratio(status == error), p50=p50(duration), p99=p99(duration)`;
}

/** Failed spans of any kind: a service may answer well while what it calls fails. */
export function failedSpansQuery(service: string): string {
  return `spans | where service.name == ${quote(service)} and status == error | stats n=count()`;
}

/** The operations of a service, the most frequent first. */
export function operationsQuery(service: string): string {
  return `${requestsOf(service)} | stats rate=count()/window, errors=ratio(status == error), p50=p50(duration), p99=p99(duration) by name | sort -rate | limit 100`;
}

/** Its versions, the newest first. */
export function versionsQuery(service: string): string {
  return `${requestsOf(service)} | stats first=min(time), last=max(time), n=count(), errors=ratio(status == error), p95=p95(duration) by resource.service.version | sort -first | limit 20`;
}

/** What failed in it, the most frequent first. */
export function errorsQuery(service: string): string {
  return `spans | where service.name == ${quote(service)} and status == error | stats n=count(), last=max(time) by name, status_message | sort -n | limit 20`;
}

/** The most flags shown of a service. */
const FLAGS = 6;

/** The flags that it reported to have evaluated, the most evaluated first. */
export function evaluatedFlagsQuery(service: string): string {
  const ofService = `service.name == ${quote(service)}`;
  const counted = `stats n=count() by feature_flag.key`;
  return `logs | where ${ofService} and event_name == ${quote(FLAG_EVALUATION)} | ${counted} | union (events | where ${ofService} and name == ${quote(FLAG_EVALUATION)} | ${counted}) | stats n=sum(n) by feature_flag.key | sort -n | limit ${FLAGS}`;
}

/** What came of the requests that saw each variant of some flags; the rows of a flag are together. */
export function variantsQuery(service: string, flags: readonly string[]): string {
  const [first = '', ...others] = flags.map(
    (flag) =>
      `flags ${quote(flag)} | where service.name == ${quote(service)} | stats n=count(), errors=ratio(span.status == error), p95=p95(span.duration) by flag, variant | sort -n | limit 10`,
  );
  return [first, ...others.map((one) => `union (${one})`)].join(' | ');
}

/** The service map of one service: who calls it, and what it calls. */
export const dependenciesQuery = ({ ws, project, environment, range }: FieldScope, service: string) =>
  routeQuery(getServiceMap, {
    params: { ws },
    query: { project, ...(environment !== undefined && { environment }), ...range, service },
  });

function requestsOf(service: string): string {
  return `spans | where service.name == ${quote(service)} and ${ENTRY_SPANS}`;
}

/** The numbers of a window, from the only row of `windowQuery`. */
export function readWindow(result: Result): WindowNumbers {
  const [requests, rate, errors, p50, p99] = result.rows[0] ?? [];
  const count = Number(requests ?? 0);
  // Ratios and quantiles of nothing are not zero.
  const measured = (value: unknown) =>
    count === 0 || value === null || value === undefined || !Number.isFinite(Number(value)) ? null : Number(value);
  return { requests: count, rate: Number(rate ?? 0), errors: measured(errors), p50: measured(p50), p99: measured(p99) };
}

/** The share of failed requests, as an alert rule watches it; of one service, or of each. */
export function failingQuery(service?: string): string {
  const only = service === undefined ? '' : `service.name == ${quote(service)} and `;
  return `spans | where ${only}${ENTRY_SPANS} | stats value=ratio(status == error) by service.name`;
}

/** An SLO of the requests of a service, or of all services. */
export function sloOf(service?: string): SloSearch {
  const only = service === undefined ? '' : `service.name == ${quote(service)} and `;
  return {
    name: service === undefined ? 'Services answer' : `${service} answers`,
    source: `spans | where ${only}${ENTRY_SPANS}`,
    good: 'status != error',
  };
}

/** Buckets of the small charts of a list of services. */
export const SPARKLINE_BUCKETS = 40;

export function rateHistoryQuery(bucket: string): string {
  return `spans | where ${ENTRY_SPANS} | stats rate=count()/window, errors=ratio(status == error) by service.name, bucket(${bucket})`;
}

/** The health of each service by name, from the rows of `healthQuery`. */
export function readHealth(rows: readonly Record<string, unknown>[]): Map<string, ServiceHealth> {
  return new Map(
    rows.map((row) => [
      String(row['service.name'] ?? ''),
      {
        rate: Number(row.rate ?? 0),
        errors: Number(row.errors ?? 0),
        p50: Number(row.p50 ?? 0),
        p99: Number(row.p99 ?? 0),
      },
    ]),
  );
}

/**
 * Requests per second in each bucket of each service, with the same buckets for all, from the rows of `rateHistoryQuery`. Omits a
 * bucket of `width` milliseconds that the end of the window cuts off.
 */
export function readHistory(
  rows: readonly (readonly unknown[])[],
  width: number,
  to = Number.POSITIVE_INFINITY,
): Map<string, readonly (number | null)[]> {
  const points: Point[] = [];
  for (const [service, bucket, rate] of rows) {
    const time = typeof bucket === 'string' || typeof bucket === 'number' ? toDate(bucket)?.getTime() : undefined;
    if (time !== undefined) points.push({ time, label: String(service), value: Number(rate) });
  }
  const { times, series } = alignSeries(points, width);
  const complete = completeBuckets(times, width, to);
  return new Map(series.map(({ label, values }) => [label, values.slice(0, complete)]));
}

/**
 * The share of failed requests in the newest buckets of a chart, so that an ongoing incident raises an alarm and one
 * failure among few requests does not. Null if there were no requests.
 */
export function recentErrors(
  rates: readonly (number | null)[],
  errors: readonly (number | null)[],
  buckets = 5,
): number | null {
  let requests = 0;
  let failed = 0;
  for (let index = Math.max(0, rates.length - buckets); index < rates.length; index++) {
    requests += rates[index] ?? 0;
    failed += (rates[index] ?? 0) * (errors[index] ?? 0);
  }
  return requests === 0 ? null : failed / requests;
}
