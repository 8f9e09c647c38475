import { z } from 'zod';
import { invalid } from './answer.ts';
import { type About, spanKinds, statusCodes, type TraceSpan } from './span-rules.ts';
import type { TypedAttributes, TypedValue } from './typed-rules.ts';

/** Deeper values are refused. */
const maxDepth = 20;

const whole = z.union([z.string().regex(/^-?\d{1,20}$/), z.number().int()]).transform(String);
const anyValueShape = z.looseObject({
  stringValue: z.string().optional(),
  boolValue: z.boolean().optional(),
  intValue: whole.optional(),
  doubleValue: z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])]).optional(),
  bytesValue: z.string().optional(),
  arrayValue: z.looseObject({ values: z.array(z.unknown()).default([]) }).optional(),
  kvlistValue: z.looseObject({ values: z.array(z.unknown()).default([]) }).optional(),
});
const keyValueShape = z.looseObject({ key: z.string().default(''), value: z.unknown().optional() });
const attributesShape = z.array(keyValueShape).default([]);
const text = z.string().default('');
const number = z.number().default(0);
const time = whole.default('0');
const scopeShape = z.looseObject({ name: text, version: text, attributes: attributesShape });

const spanShape = z.looseObject({
  traceId: z.string().regex(/^[0-9a-f]{32}$/i),
  spanId: z.string().regex(/^[0-9a-f]{16}$/i),
  parentSpanId: z
    .string()
    .regex(/^([0-9a-f]{16})?$/i)
    .default(''),
  ...{ traceState: text, flags: number, name: text },
  kind: z.union([z.number(), z.string()]).default(0),
  ...{ startTimeUnixNano: time, endTimeUnixNano: time, attributes: attributesShape },
  events: z.array(z.looseObject({ timeUnixNano: time, name: text, attributes: attributesShape })).default([]),
  links: z
    .array(z.looseObject({ traceId: text, spanId: text, traceState: text, flags: number, attributes: attributesShape }))
    .default([]),
  status: z.looseObject({ code: z.union([z.number(), z.string()]).default(0), message: text }).optional(),
});
const requestShape = z.looseObject({
  resourceSpans: z
    .array(
      z.looseObject({
        resource: z.looseObject({ attributes: attributesShape }).optional(),
        schemaUrl: text,
        scopeSpans: z
          .array(
            z.looseObject({ scope: scopeShape.optional(), schemaUrl: text, spans: z.array(spanShape).default([]) }),
          )
          .default([]),
      }),
    )
    .default([]),
});

/** Reads spans of OTLP/JSON. @throws `JAEGER_REQUEST_INVALID` */
export function* readingOtlp(body: unknown): Generator<undefined, TraceSpan[]> {
  const request = requestShape.safeParse(jsonOf(body));
  if (!request.success) {
    const [issue] = request.error.issues;
    throw invalid(`cannot unmarshal OTLP: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
  }
  const spans: TraceSpan[] = [];
  for (const [at, { resource, schemaUrl, scopeSpans }] of request.data.resourceSpans.entries()) {
    const about: About = { attributes: attributesOf(resource?.attributes ?? []), schemaUrl, name: '', version: '' };
    for (const [within, of] of scopeSpans.entries()) {
      const { name = '', version = '', attributes = [] } = of.scope ?? {};
      const scope: About = { attributes: attributesOf(attributes), schemaUrl: of.schemaUrl, name, version };
      for (const span of of.spans) {
        yield;
        spans.push(spanOf(span, { resource: about, scope, resourceKey: `${at}`, scopeKey: `${at} ${within}` }));
      }
    }
  }
  return spans;
}

function jsonOf(body: unknown): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : '');
  } catch {
    throw invalid('cannot unmarshal OTLP: the body is not JSON');
  }
}

function spanOf(
  span: z.output<typeof spanShape>,
  about: Pick<TraceSpan, 'resource' | 'scope' | 'resourceKey' | 'scopeKey'>,
): TraceSpan {
  const startNs = BigInt(span.startTimeUnixNano);
  const endNs = BigInt(span.endTimeUnixNano);
  return {
    traceId: span.traceId.toLowerCase(),
    spanId: span.spanId.toLowerCase(),
    parentSpanId: /^0*$/.test(span.parentSpanId) ? undefined : span.parentSpanId.toLowerCase(),
    name: span.name,
    kind: ofEnum(spanKinds, span.kind, 'SPAN_KIND_', 'unspecified'),
    status: ofEnum(statusCodes, span.status?.code ?? 0, 'STATUS_CODE_', 'unset'),
    statusMessage: span.status?.message ?? '',
    startNs,
    durationNs: endNs > startNs ? endNs - startNs : 0n,
    traceState: span.traceState,
    flags: span.flags,
    attributes: attributesOf(span.attributes),
    events: span.events.map(({ timeUnixNano, name, attributes }) => ({
      timeNs: BigInt(timeUnixNano),
      name,
      attributes: attributesOf(attributes),
    })),
    links: span.links.map(({ traceId, spanId, traceState, flags, attributes }) => ({
      ...{ traceId: traceId.toLowerCase(), spanId: spanId.toLowerCase(), traceState, flags },
      attributes: attributesOf(attributes),
    })),
    ...about,
  };
}

/** A value of an enumeration by its number or its name. */
function ofEnum<Name extends string>(
  names: readonly Name[],
  value: number | string,
  prefix: string,
  other: Name,
): Name {
  if (typeof value === 'number') return names[value] ?? other;
  return names.find((name) => prefix + name.toUpperCase() === value) ?? other;
}

function attributesOf(attributes: z.output<typeof attributesShape>): TypedAttributes {
  return attributes.map(({ key, value }) => [key, typedOf(value)] as const);
}

function typedOf(value: unknown): TypedValue {
  const { stringValue, boolValue, intValue, doubleValue, bytesValue, arrayValue, kvlistValue } = shapeOf(value);
  if (boolValue !== undefined) return { type: 'bool', value: boolValue };
  if (intValue !== undefined) return { type: 'int', value: intValue };
  if (doubleValue !== undefined) return { type: 'double', value: Number(doubleValue) };
  if (arrayValue !== undefined || kvlistValue !== undefined) return { type: 'nested', value: plainOf(value, 0) };
  return { type: 'string', value: stringValue ?? bytesValue ?? '' };
}

function shapeOf(value: unknown): z.output<typeof anyValueShape> {
  const found = anyValueShape.safeParse(value ?? {});
  if (!found.success) throw invalid('cannot unmarshal OTLP: invalid value of an attribute');
  return found.data;
}

function plainOf(value: unknown, depth: number): unknown {
  if (depth > maxDepth) throw invalid(`cannot unmarshal OTLP: a value is nested more than ${maxDepth} deep`);
  const { arrayValue, kvlistValue } = shapeOf(value);
  if (arrayValue !== undefined) return arrayValue.values.map((one) => plainOf(one, depth + 1));
  if (kvlistValue === undefined) return typedOf(value).value;
  return Object.fromEntries(
    kvlistValue.values.map((one) => {
      const pair = keyValueShape.safeParse(one);
      if (!pair.success) throw invalid('cannot unmarshal OTLP: invalid value of an attribute');
      return [pair.data.key, plainOf(pair.data.value, depth + 1)];
    }),
  );
}
