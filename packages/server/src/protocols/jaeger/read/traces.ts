import type { QueryHistory } from '../../../features/dashboards/saved-queries/index.ts';
import { findSpansOfTraces, maxSpansOfTrace } from '../../../features/telemetry/traces/index.ts';
import { runInSlices } from '../../../platform/breath.ts';
import { fail } from '../../../platform/fail.ts';
import { type ScopedTelemetry, scopeOf } from '../../../platform/scoped-telemetry.ts';
import type { Place } from '../../read/request.ts';
import type { Search } from './parameter-rules.ts';
import { findTraces, listOperations } from './search-store.ts';
import { byTrace, readingSpans, type TraceSpan } from './span-rules.ts';

export interface JaegerLimits {
  readonly traces: number;
  readonly spans: number;
  readonly names: number;
  readonly operationHours: number;
  readonly points: number;
}

export interface JaegerParts {
  readonly telemetry: ScopedTelemetry;
  readonly history: Pick<QueryHistory, 'observe'>;
  readonly limits: JaegerLimits;
}

export type Trace = readonly TraceSpan[];

/** The traces that a search finds, whole. @param shown the request, for the history */
export async function search(
  { telemetry, history, limits }: JaegerParts,
  place: Place,
  asked: Search,
  shown: string,
): Promise<Trace[]> {
  const scope = scopeOf(place);
  const run = async () => {
    const ids = await findTraces(telemetry, scope, asked, place.signal);
    const traces = await readTraces({ telemetry, limits }, place, ids);
    return { data: { rows: traces }, meta: shownWindow(asked) };
  };
  return (await history.observe({ ...place, query: shown }, run)).data.rows;
}

function shownWindow({ window: { fromNs, toNs } }: Search) {
  const iso = (ns: bigint) => new Date(Number(ns / 1_000_000n)).toISOString();
  return { from: iso(fromNs), to: iso(toNs) };
}

/** Whole traces in the order of their ids; those without spans are missing. */
export async function readTraces(
  { telemetry, limits }: Pick<JaegerParts, 'telemetry' | 'limits'>,
  place: Place,
  ids: readonly string[],
): Promise<Trace[]> {
  const most = ids.length === 1 ? maxSpansOfTrace : limits.spans;
  const rows = await findSpansOfTraces(telemetry, scopeOf(place), ids, most + 1, place.signal);
  if (rows.length > most)
    throw fail('QUERY_TOO_EXPENSIVE', { reason: `the traces have more than ${most} spans; ask for fewer with limit` });
  return byTrace(await runInSlices(readingSpans(rows)), ids);
}

/** The names and kinds of the spans of a service within the hours that the configuration allows. @param kind undefined: all */
export function operationsOf(
  { telemetry, limits }: JaegerParts,
  place: Place,
  nowNs: bigint,
  service: string,
  kind: string | undefined,
) {
  const window = { fromNs: nowNs - BigInt(limits.operationHours) * 3_600_000_000_000n, toNs: nowNs };
  return listOperations(telemetry, scopeOf(place), { service, kind, window, limit: limits.names }, place.signal);
}
