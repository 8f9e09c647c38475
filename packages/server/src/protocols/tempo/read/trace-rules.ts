import type { SpanLists, SpanRow } from '../../../features/telemetry/traces/index.ts';
import { type KeyValue, textAttributes, typedAttributes } from './attribute-rules.ts';

/** How an id is written: hex in OTLP's JSON, base64 in that of protobuf. */
export type WriteId = (hex: string) => string;
export const hexId: WriteId = (hex) => hex;
export const base64Id: WriteId = (hex) => Buffer.from(hex, 'hex').toString('base64');

export interface ResourceSpans {
  readonly resource: { readonly attributes: readonly KeyValue[]; readonly droppedAttributesCount?: number };
  readonly scopeSpans: ScopeSpans[];
  readonly schemaUrl?: string;
}

interface ScopeSpans {
  readonly scope: object;
  readonly spans: object[];
  readonly schemaUrl?: string;
}

const noParent = '0000000000000000';

/** Spans by their resource and scope, in OTLP's form. */
export function resourceSpansOf(rows: readonly SpanRow[], writeId: WriteId, traceId: string): ResourceSpans[] {
  const resources = new Map<string, { readonly of: ResourceSpans; readonly scopes: Map<string, ScopeSpans> }>();
  for (const row of rows) {
    let resource = resources.get(row.resource_text);
    if (resource === undefined) {
      resource = { of: resourceOf(row.resource_text), scopes: new Map() };
      resources.set(row.resource_text, resource);
    }
    let scope = resource.scopes.get(row.scope_text);
    if (scope === undefined) {
      scope = scopeOf(row.scope_text);
      resource.scopes.set(row.scope_text, scope);
      resource.of.scopeSpans.push(scope);
    }
    scope.spans.push(spanOf(row, writeId, traceId));
  }
  return [...resources.values()].map(({ of }) => of);
}

/** A resource or scope is stored as one text: attributes, their types, schema, dropped attributes, name, version. */
function parsedAbout(text: string) {
  const [texts = {}, types = '', schemaUrl = '', dropped = 0, name = '', version = ''] = JSON.parse(text);
  return {
    attributes: textAttributes(texts, String(types)),
    ...(Number(dropped) > 0 && { droppedAttributesCount: Number(dropped) }),
    schema: schemaUrl === '' ? {} : { schemaUrl: String(schemaUrl) },
    name: String(name),
    version: String(version),
  };
}

function resourceOf(text: string): ResourceSpans {
  const { schema, name: _name, version: _version, ...resource } = parsedAbout(text);
  return { resource, scopeSpans: [], ...schema };
}

function scopeOf(text: string): ScopeSpans {
  const { schema, ...scope } = parsedAbout(text);
  return { scope, spans: [], ...schema };
}

function spanOf(row: SpanRow, writeId: WriteId, traceId: string): object {
  const dropped = {
    droppedAttributesCount: row.dropped_attributes_count,
    droppedEventsCount: row.dropped_events_count,
    droppedLinksCount: row.dropped_links_count,
  };
  return {
    traceId: writeId(traceId),
    spanId: writeId(row.span_id),
    ...(row.parent_span_id !== noParent && { parentSpanId: writeId(row.parent_span_id) }),
    ...(row.trace_state !== '' && { traceState: row.trace_state }),
    ...(row.flags !== 0 && { flags: row.flags }),
    name: row.name,
    kind: `SPAN_KIND_${row.kind.toUpperCase()}`,
    startTimeUnixNano: row.start_ns,
    endTimeUnixNano: String(BigInt(row.start_ns) + BigInt(row.duration_ns)),
    attributes: typedAttributes(row),
    ...Object.fromEntries(Object.entries(dropped).filter(([, count]) => count > 0)),
    ...listsOf(row.lists_text, writeId),
    status: {
      ...(row.status !== 'unset' && { code: `STATUS_CODE_${row.status.toUpperCase()}` }),
      ...(row.status_message !== '' && { message: row.status_message }),
    },
  };
}

function listsOf(text: string, writeId: WriteId): object {
  if (text === '') return {};
  const lists: SpanLists = JSON.parse(text);
  const [times, names, ofEvents, typesOfEvents, droppedOfEvents] = lists;
  const [, , , , , traces, spans, ofLinks, typesOfLinks, states, flags, droppedOfLinks] = lists;
  return {
    events: names.map((name, i) => ({
      timeUnixNano: times[i] ?? '0',
      name,
      attributes: textAttributes(ofEvents[i] ?? {}, typesOfEvents[i] ?? ''),
      ...(droppedOfEvents[i] && { droppedAttributesCount: droppedOfEvents[i] }),
    })),
    links: traces.map((trace, i) => ({
      traceId: writeId(trace),
      spanId: writeId(spans[i] ?? ''),
      ...(states[i] && { traceState: states[i] }),
      ...(flags[i] && { flags: flags[i] }),
      attributes: textAttributes(ofLinks[i] ?? {}, typesOfLinks[i] ?? ''),
      ...(droppedOfLinks[i] && { droppedAttributesCount: droppedOfLinks[i] }),
    })),
  };
}
