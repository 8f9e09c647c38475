import { type About, spanKinds, statusCodes, type TraceSpan } from './span-rules.ts';
import type { TypedAttributes, TypedValue } from './typed-rules.ts';

/** Spans as OTLP/JSON: a resource and a scope once for all spans that share them. */
export function* writingOtlp(spans: readonly TraceSpan[]): Generator<undefined, { resourceSpans: object[] }> {
  const resources = new Map<
    string,
    { resource: object; schemaUrl: string; scopes: Map<string, object & { spans: object[] }> }
  >();
  for (const span of spans) {
    yield;
    const resource = resources.get(span.resourceKey) ?? {
      resource: { attributes: keyValues(span.resource.attributes) },
      schemaUrl: span.resource.schemaUrl,
      scopes: new Map<string, object & { spans: object[] }>(),
    };
    resources.set(span.resourceKey, resource);
    const scope = resource.scopes.get(span.scopeKey) ?? { ...scopeOf(span.scope), spans: [] };
    resource.scopes.set(span.scopeKey, scope);
    scope.spans.push(spanOf(span));
  }
  return {
    resourceSpans: [...resources.values()].map(({ resource, schemaUrl, scopes }) => ({
      resource,
      scopeSpans: [...scopes.values()],
      ...(schemaUrl !== '' && { schemaUrl }),
    })),
  };
}

function scopeOf({ name, version, attributes, schemaUrl }: About) {
  return {
    scope: {
      ...(name !== '' && { name }),
      ...(version !== '' && { version }),
      ...(attributes.length > 0 && { attributes: keyValues(attributes) }),
    },
    ...(schemaUrl !== '' && { schemaUrl }),
  };
}

function spanOf(span: TraceSpan) {
  const { traceId, spanId, parentSpanId, traceState, flags, name, kind, attributes, events, links } = span;
  const code = statusCodes.indexOf(span.status);
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    ...(traceState !== '' && { traceState }),
    ...(flags !== 0 && { flags }),
    name,
    kind: spanKinds.indexOf(kind),
    startTimeUnixNano: String(span.startNs),
    endTimeUnixNano: String(span.startNs + span.durationNs),
    attributes: keyValues(attributes),
    ...(events.length > 0 && {
      events: events.map((event) => ({
        timeUnixNano: String(event.timeNs),
        name: event.name,
        attributes: keyValues(event.attributes),
      })),
    }),
    ...(links.length > 0 && {
      links: links.map((link) => ({
        traceId: link.traceId,
        spanId: link.spanId,
        ...(link.traceState !== '' && { traceState: link.traceState }),
        ...(link.flags !== 0 && { flags: link.flags }),
        attributes: keyValues(link.attributes),
      })),
    }),
    status: {
      ...(code !== 0 && { code }),
      ...(span.statusMessage !== '' && { message: span.statusMessage }),
    },
  };
}

function keyValues(attributes: TypedAttributes) {
  return attributes.map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(typed: TypedValue): object {
  switch (typed.type) {
    case 'string':
      return { stringValue: typed.value };
    case 'bool':
      return { boolValue: typed.value };
    case 'int':
      return { intValue: typed.value };
    case 'double':
      return { doubleValue: Number.isFinite(typed.value) ? typed.value : String(typed.value) };
    case 'nested':
      return nestedValue(typed.value);
  }
}

function nestedValue(value: unknown): object {
  switch (typeof value) {
    case 'string':
      return { stringValue: value };
    case 'boolean':
      return { boolValue: value };
    case 'number':
      return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
    case 'object':
      if (value === null) return {};
      if (Array.isArray(value)) return { arrayValue: { values: value.map(nestedValue) } };
      return {
        kvlistValue: { values: Object.entries(value).map(([key, one]) => ({ key, value: nestedValue(one) })) },
      };
    default:
      return {};
  }
}
