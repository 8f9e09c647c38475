import { inScope, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { SampleWindow, Store } from './condition-store.ts';
import { inCounting } from './counting-store.ts';

/** What there is of what metrics are derived from. */
export interface Presence {
  readonly spans: boolean;
}

/** What there is in a window. */
export async function findPresence(
  { lookup }: Store,
  scope: TelemetryScope,
  { start, end }: SampleWindow,
  signal: AbortSignal,
): Promise<Presence> {
  const rows = await lookup.rows<{ readonly present: number }>(
    scope,
    `SELECT 1 AS present FROM spans WHERE ${inScope(scope)} AND ${inCounting} LIMIT 1`,
    { start: String(Math.trunc(start)), end: String(Math.trunc(end)) },
    signal,
  );
  return { spans: rows.length > 0 };
}
