/**
 * A trace: `store.ts` finds its day in the trace index and reads its spans in one round trip. `rules.ts` builds the
 * tree and finds the critical path.
 */

import { maxFlagsOfTrace, maxLogsOfTrace } from '@fanion/contract';
import { decodeAboutText, decodeAttributes } from '@fanion/oql';
import type { ProjectRef, WorkspaceRef } from '../../../http/caller.ts';
import { mapInSlices, runInSlices } from '../../../platform/breath.ts';
import { fail } from '../../../platform/fail.ts';
import type { ScopedTelemetry } from '../../../platform/scoped-telemetry.ts';
import { formatNs } from '../../../platform/time-window.ts';
import { findEvaluationsOfTrace, type TraceEvaluation } from '../../flags/exposures/index.ts';
import { findingMissingParents, followingCriticalPath, warningsOf } from './rules.ts';
import { findLogs, findSpans, type LogRow, maxSpansOfTrace, type SpanLists, type SpanRow } from './store.ts';

export { findSpansOfTraces, maxSpansOfTrace, type SpanLists, type SpanOfTrace, type SpanRow } from './store.ts';

interface Scope {
  readonly workspace: WorkspaceRef;
  readonly project: ProjectRef | undefined;
  readonly environment: string | undefined;
}
const aroundNs = 60_000_000_000n;

export function createTraceService(telemetry: ScopedTelemetry) {
  /** The spans of a trace by their start. Throws `TRACE_NOT_FOUND` for an invalid id, too. */
  async function spans(scope: Scope, traceId: string, signal: AbortSignal): Promise<SpanRow[]> {
    const id = traceId.toLowerCase();
    if (!/^[0-9a-f]{32}$/.test(id)) throw fail('TRACE_NOT_FOUND', { trace_id: traceId.slice(0, 64) });
    const rows = await findSpans(telemetry, placeOf(scope), id, signal);
    if (rows.length === 0) throw fail('TRACE_NOT_FOUND', { trace_id: id });
    if (rows.length > maxSpansOfTrace)
      throw fail('QUERY_TOO_EXPENSIVE', {
        reason: `the trace has more than ${maxSpansOfTrace} spans; ask with OQL: spans | where trace_id == "${id}"`,
      });
    return rows;
  }

  return {
    spans,
    /** A whole trace, and warnings for `meta`: lists that lack later entries. Throws `TRACE_NOT_FOUND` for an invalid id, too. */
    async get(scope: Scope, traceId: string, include: { logs: boolean; flags: boolean }, signal: AbortSignal) {
      const rows = await spans(scope, traceId, signal);
      const id = traceId.toLowerCase();
      const place = placeOf(scope);
      const times = await mapInSlices(rows, (row) => ({
        id: row.span_id,
        parentId: parentOf(row),
        startNs: BigInt(row.start_ns),
        endNs: BigInt(row.start_ns) + BigInt(row.duration_ns),
      }));
      const start = times.reduce(
        (least, span) => (span.startNs < least ? span.startNs : least),
        times[0]?.startNs ?? 0n,
      );
      const end = times.reduce((most, span) => (span.endNs > most ? span.endNs : most), 0n);
      const missing = await runInSlices(findingMissingParents(times));
      const around = { fromNs: start - aroundNs, toNs: end + aroundNs };
      const [logs, flags] = await Promise.all([
        include.logs ? findLogs(telemetry, place, id, around.fromNs, around.toNs, signal) : undefined,
        include.flags ? findEvaluationsOfTrace(telemetry, place, id, around, signal) : undefined,
      ]);
      const warnings = warningsOf(id, { logs: logs?.length ?? 0, flags: flags?.length ?? 0 });
      const trace = {
        trace_id: id,
        start: formatNs(start),
        end: formatNs(end),
        duration_ns: String(end - start),
        services: [...new Set(rows.map((row) => row.service))].sort(),
        spans: await mapInSlices(rows, (row) => spanOf(row, missing)),
        ...(logs && { logs: await mapInSlices(logs.slice(0, maxLogsOfTrace), logOf) }),
        ...(flags && { flags: flags.slice(0, maxFlagsOfTrace).map(flagOf) }),
        critical_path: (await runInSlices(followingCriticalPath(times))).map(({ id }) => id),
      };
      return { trace, warnings };
    },
  };
}
export type TraceService = ReturnType<typeof createTraceService>;

function placeOf({ workspace, project, environment }: Scope) {
  return { workspace: workspace.number, project: project?.number, environment };
}

function parentOf(row: SpanRow): string | null {
  return row.parent_span_id === '0000000000000000' ? null : row.parent_span_id;
}

type TypedAttributes = Pick<
  LogRow,
  'string_attributes' | 'int_attributes' | 'float_attributes' | 'bool_attributes' | 'json_attributes'
>;

/** One object out of the typed maps, or of a map of texts and their types, each value as it was sent. */
function attributesOf(row: TypedAttributes): Record<string, unknown> {
  const { string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes } = row;
  return inOrder(
    decodeAttributes([string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes]),
  );
}

function typedTexts(texts: Record<string, string> | undefined, types: string | undefined): Record<string, unknown> {
  return inOrder(decodeAttributes([texts ?? {}, types ?? '']));
}

function inOrder(attributes: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function spanOf(row: SpanRow, missing: ReadonlySet<string>) {
  const resource = decodeAboutText(row.resource_text);
  const scope = decodeAboutText(row.scope_text);
  const { events, links } = listsOf(row);
  return {
    span_id: row.span_id,
    parent_span_id: parentOf(row),
    service: row.service,
    name: row.name,
    kind: row.kind,
    status: row.status,
    status_message: row.status_message,
    start: formatNs(BigInt(row.start_ns)),
    duration_ns: row.duration_ns,
    trace_state: row.trace_state,
    flags: row.flags,
    attributes: attributesOf(row),
    dropped_attributes_count: row.dropped_attributes_count,
    dropped_events_count: row.dropped_events_count,
    dropped_links_count: row.dropped_links_count,
    resource: inOrder(resource.attributes),
    resource_schema_url: resource.schemaUrl,
    resource_dropped_attributes_count: resource.droppedAttributesCount,
    scope: {
      name: scope.name,
      version: scope.version,
      attributes: inOrder(scope.attributes),
      schema_url: scope.schemaUrl,
      dropped_attributes_count: scope.droppedAttributesCount,
    },
    events,
    links,
    missing_parent: missing.has(row.span_id),
  };
}

function listsOf({ lists_text }: SpanRow) {
  if (lists_text === '') return { events: [], links: [] };
  const lists: SpanLists = JSON.parse(lists_text);
  const [times, names, ofEvents, typesOfEvents, droppedOfEvents] = lists;
  const [, , , , , traces, spans, ofLinks, typesOfLinks, states, flags, droppedOfLinks] = lists;
  return {
    events: names.map((name, i) => ({
      time: formatNs(BigInt(times[i] ?? '0')),
      name,
      attributes: typedTexts(ofEvents[i], typesOfEvents[i]),
      dropped_attributes_count: droppedOfEvents[i] ?? 0,
    })),
    links: traces.map((trace, i) => ({
      trace_id: trace,
      span_id: spans[i] ?? '',
      trace_state: states[i] ?? '',
      flags: flags[i] ?? 0,
      attributes: typedTexts(ofLinks[i], typesOfLinks[i]),
      dropped_attributes_count: droppedOfLinks[i] ?? 0,
    })),
  };
}

function logOf(row: LogRow) {
  return {
    time: formatNs(BigInt(row.time_ns)),
    severity: row.severity_text || severityName(row.severity),
    body: row.body,
    service: row.service,
    span_id: row.span_id === '0000000000000000' ? null : row.span_id,
    attributes: attributesOf(row),
  };
}

function flagOf({ time_ns, span_id, variant, unit, service, error, ...evaluation }: TraceEvaluation) {
  return {
    time: formatNs(BigInt(time_ns)),
    ...evaluation,
    variant: variant || null,
    unit: unit || null,
    service: service || null,
    span_id: span_id === '0000000000000000' ? null : span_id,
    error: error || null,
  };
}

/** OpenTelemetry's short names: 1–4 TRACE … 21–24 FATAL. */
function severityName(severity: number): string {
  return ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'][Math.floor((severity - 1) / 4)] ?? '';
}
