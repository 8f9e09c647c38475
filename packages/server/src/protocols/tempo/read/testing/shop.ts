import { type KeyValue, nanos, text } from '../../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../../testing/telemetry-world.ts';
import { testClient } from '../../../../testing/test-client.ts';

/** A span of the test, from which the expected answers are computed. */
export interface Sent {
  readonly trace: string;
  readonly id: string;
  readonly parent?: string;
  readonly service: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  readonly error?: boolean;
  readonly ok?: boolean;
  /** Of an error; absent: "it failed". */
  readonly message?: string;
  /** Head sampling kept it, and not three others. */
  readonly standsFor?: 4;
  /** Milliseconds after the start of the first trace, and of its duration. */
  readonly at: number;
  readonly ms: number;
  readonly attributes?: Readonly<Record<string, string | number | boolean>>;
  readonly event?: { readonly name: string; readonly attributes?: Readonly<Record<string, string | number>> };
  readonly link?: { readonly trace: string; readonly span: string; readonly attributes?: Sent['attributes'] };
}

export const traces = ['a', 'b', 'c', 'd'].map((letter) => `0af7651916cd43dd8448eb211c8031${letter}0`);
export const [a = '', b = '', c = '', d = ''] = traces;
export const id = (n: number) => `00000000000000${n.toString(16).padStart(2, '0')}`;

export const sent: readonly Sent[] = [
  {
    trace: a,
    id: id(1),
    service: 'web',
    name: 'GET /cart',
    kind: 'server',
    at: 0,
    ms: 500,
    attributes: { route: '/cart', code: 200, cached: false },
  },
  {
    trace: a,
    id: id(2),
    parent: id(1),
    service: 'cart',
    name: 'list',
    kind: 'internal',
    at: 10,
    ms: 300,
    attributes: { items: 3 },
  },
  {
    trace: a,
    id: id(3),
    parent: id(2),
    service: 'db',
    name: 'SELECT',
    kind: 'client',
    at: 20,
    ms: 100,
    error: true,
    attributes: { table: 'items', load: 0.75 },
    event: { name: 'exception', attributes: { message: 'deadlock found', attempt: 2 } },
  },
  {
    trace: a,
    id: id(4),
    parent: id(2),
    service: 'db',
    name: 'SELECT',
    kind: 'client',
    at: 130,
    ms: 120,
    attributes: { table: 'prices', load: 0.25 },
  },
  {
    trace: b,
    id: id(5),
    service: 'web',
    name: 'GET /home',
    kind: 'server',
    at: 1_000,
    ms: 50,
    attributes: { route: '/home', code: 200, cached: true },
  },
  {
    trace: b,
    id: id(6),
    parent: id(5),
    service: 'cms',
    name: 'render',
    kind: 'internal',
    at: 1_010,
    ms: 20,
    attributes: { code: '200' },
  },
  {
    trace: c,
    id: id(7),
    service: 'web',
    name: 'GET /cart',
    kind: 'server',
    at: 2_000,
    ms: 900,
    error: true,
    attributes: { route: '/cart', code: 500 },
  },
  {
    trace: c,
    id: id(8),
    parent: id(7),
    service: 'cart',
    name: 'list',
    kind: 'internal',
    at: 2_010,
    ms: 850,
    error: true,
    attributes: { items: 40 },
    link: { trace: a, span: id(2) },
  },
  {
    trace: c,
    id: id(9),
    parent: id(8),
    service: 'db',
    name: 'SELECT',
    kind: 'client',
    at: 2_020,
    ms: 800,
    attributes: { table: 'items' },
  },
  {
    trace: d,
    id: id(10),
    service: 'worker',
    name: 'poll',
    kind: 'internal',
    at: 3_000,
    ms: 5,
    attributes: { 'my key': 'x "y"' },
  },
  { trace: d, id: id(11), parent: id(0xaa), service: 'worker', name: 'orphan', kind: 'internal', at: 3_001, ms: 1 },
];

/** Attributes of resources beside their service. */
export const otherShard: Readonly<Record<string, number>> = { db: 7 };

/** A value as OTLP sends it. */
export const sentValue = (value: string | number | boolean): Record<string, unknown> =>
  typeof value === 'string'
    ? { stringValue: value }
    : typeof value === 'boolean'
      ? { boolValue: value }
      : Number.isInteger(value)
        ? { intValue: String(value) }
        : { doubleValue: value };
const attributesOf = (of: Readonly<Record<string, string | number | boolean>> = {}): KeyValue[] =>
  Object.entries(of).map(([key, value]) => ({ key, value: sentValue(value) }));

export interface TempoWorld {
  readonly world: TelemetryWorld;
  readonly ada: TelemetryTenant;
  /** Milliseconds: when the first trace began. */
  readonly begin: number;
  get(path: string, query?: Record<string, string>): ReturnType<ReturnType<typeof testClient>['get']>;
  /** The window with all spans. */
  window(): { readonly start: string; readonly end: string };
}

/** Spans, and what their services say of themselves. */
export interface Fixture {
  readonly spans: readonly Sent[];
  resourceOf(service: string): NonNullable<Sent['attributes']>;
  scopeOf(service: string): {
    readonly name: string;
    readonly version: string;
    readonly attributes?: Sent['attributes'];
  };
}

const shop: Fixture = {
  spans: sent,
  resourceOf: (service) => ({ shard: otherShard[service] ?? 1 }),
  scopeOf: (service) => ({ name: `lib-${service}`, version: '1' }),
};

const kinds = { internal: 1, server: 2, client: 3 };

function statusOf({ ok, error, message = 'it failed' }: Sent): object {
  if (ok) return { code: 1 };
  return error ? { code: 2, message } : {};
}

function otlpSpan(span: Sent, begin: number): object {
  const { event, link } = span;
  const why = { why: 'retry' };
  return {
    traceId: span.trace,
    spanId: span.id,
    parentSpanId: span.parent ?? '',
    ...(span.standsFor === 4 && { traceState: 'ot=th:c' }),
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: nanos(begin + span.at),
    endTimeUnixNano: nanos(begin + span.at + span.ms),
    attributes: attributesOf(span.attributes),
    status: statusOf(span),
    events: event
      ? [{ timeUnixNano: nanos(begin + span.at + 7), name: event.name, attributes: attributesOf(event.attributes) }]
      : [],
    links: link ? [{ traceId: link.trace, spanId: link.span, attributes: attributesOf(link.attributes ?? why) }] : [],
  };
}

/** A server with some spans, by default those of this file. */
export async function startTempoWorld({ spans, resourceOf, scopeOf }: Fixture = shop): Promise<TempoWorld> {
  const begin = Math.floor(Date.now() / 1000) * 1000 - 60_000;
  const world = await startTelemetryWorld();
  const { ada } = world;
  // Of all environments: the attribute of a resource names its own.
  const bearer = await ada.token(['telemetry:query'], { project: ada.projectId });
  const services = [...new Set(spans.map(({ service }) => service))];
  await ada.ingest('traces', {
    resourceSpans: services.map((service) => {
      const { attributes, ...scope } = scopeOf(service);
      return {
        resource: { attributes: [text('service.name', service), ...attributesOf(resourceOf(service))] },
        scopeSpans: [
          {
            scope: { ...scope, attributes: attributesOf(attributes) },
            spans: spans.filter((span) => span.service === service).map((span) => otlpSpan(span, begin)),
          },
        ],
      };
    }),
  });
  const counted = spans.reduce((sum, { standsFor = 1 }) => sum + standsFor, 0);
  await ada.counted('spans | stats n=count()', counted);
  return {
    ...{ world, ada, begin },
    get: (path, query = {}) =>
      testClient(world.base, { bearer }).get(`/tempo/api/${path}?${new URLSearchParams(query)}`),
    window: () => ({ start: String(begin / 1000 - 10), end: String(begin / 1000 + 120) }),
  };
}
