import { inScope, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { described, type Store } from './condition-store.ts';
import { inCounting } from './counting-store.ts';
import { others } from './target-store.ts';
import type { SampleWindow } from './time-rules.ts';

/** What there is of what metrics are derived from. */
export interface Presence {
  readonly spans: boolean;
  readonly flags: boolean;
  /** Series of OTLP whose resources have attributes beside `job` and `instance`. */
  readonly targets: boolean;
}

/** What there is in a window. */
export async function findPresence(
  { lookup }: Store,
  scope: TelemetryScope,
  { start, end }: SampleWindow,
  signal: AbortSignal,
): Promise<Presence> {
  const any = (from: string, where: string) =>
    `(SELECT count() FROM (SELECT 1 FROM ${from} WHERE ${inScope(scope)} AND ${where} LIMIT 1))`;
  const [row] = await lookup.rows<{ readonly spans: number; readonly flags: number; readonly targets: number }>(
    scope,
    `SELECT toFloat64(${any('spans', inCounting)}) AS spans, toFloat64(${any('flag_events', inCounting)}) AS flags,
       toFloat64(${any('metric_series', `${described} AND NOT written AND notEmpty(${others})`)}) AS targets`,
    { start: String(Math.trunc(start)), end: String(Math.trunc(end)) },
    signal,
  );
  const { spans = 0, flags = 0, targets = 0 } = row ?? {};
  return { spans: spans > 0, flags: flags > 0, targets: targets > 0 };
}
