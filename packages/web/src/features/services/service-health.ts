import type { SloSearch } from '../../alerting/slo-search.ts';
import { completeBuckets } from '../../telemetry/bucket-width.ts';
import { quote } from '../../telemetry/oql.ts';
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

export function healthQuery(): string {
  return `spans | where ${ENTRY_SPANS} | stats rate=count()/window, errors=ratio(status == error), p50=p50(duration), p99=p99(duration) by service.name`;
}

/** The share of failed requests, as an alert rule watches it; of one service, or of each. */
export function failingQuery(service?: string): string {
  const only = service === undefined ? '' : `service.name == ${quote(service)} and `;
  return `spans | where ${only}${ENTRY_SPANS} | stats value=ratio(status == error) by service.name`;
}

/** An SLO of the requests of a service. */
export function sloOf(service: string): SloSearch {
  return {
    name: `${service} answers`,
    source: `spans | where service.name == ${quote(service)} and ${ENTRY_SPANS}`,
    good: 'status != error',
  };
}

export function rateHistoryQuery(bucket: string): string {
  return `spans | where ${ENTRY_SPANS} | stats n=count(), errors=ratio(status == error) by service.name, bucket(${bucket})`;
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
 * Counts per bucket of each service, with the same buckets for all, from the rows of `rateHistoryQuery`. Omits a
 * bucket of `width` milliseconds that the end of the window cuts off.
 */
export function readHistory(
  rows: readonly (readonly unknown[])[],
  width: number,
  to = Number.POSITIVE_INFINITY,
): Map<string, readonly (number | null)[]> {
  const points: Point[] = [];
  for (const [service, bucket, count] of rows) {
    const time = typeof bucket === 'string' || typeof bucket === 'number' ? toDate(bucket)?.getTime() : undefined;
    if (time !== undefined) points.push({ time, label: String(service), value: Number(count) });
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
