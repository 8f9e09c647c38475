import { EXEMPLAR_TABLES } from './exemplar-fixture.ts';
import { FLAG_TABLES } from './flag-fixture.ts';
import { METRIC_TABLES } from './metric-fixture.ts';
import { PROFILE_TABLES } from './profile-fixture.ts';
import { type FixtureTable, NEIGHBOURS, rows, START, TENANT, TENANT_STRUCTURE, type Tenant } from './world.ts';

/** A small world with known answers: sixty minutes, one trace a minute, every tenth one fails. There are two other tenants. */

export const SCOPE = { workspace: 7, project: 1 } as const;
export const WINDOW = { fromNs: START, toNs: START + 3_600_000_000_000n } as const;
export const NOW = WINDOW.toNs;
export { START };
export const MINUTES = 60;

const MINUTE = 60_000_000_000n;
const MS = 1_000_000n;

export interface SpanRow extends Tenant {
  readonly time: bigint;
  readonly duration: number;
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id: string;
  readonly service: string;
  readonly name: string;
  readonly kind: string;
  readonly status: string;
  readonly weight: number;
  readonly resource: Readonly<Record<string, string>>;
  readonly strings: Readonly<Record<string, string>>;
  readonly ints: Readonly<Record<string, number>>;
  readonly floats: Readonly<Record<string, number>>;
  readonly bools: Readonly<Record<string, boolean>>;
  readonly jsons: Readonly<Record<string, string>>;
  readonly events: readonly {
    readonly time: bigint;
    readonly name: string;
    readonly attributes: Readonly<Record<string, string>>;
  }[];
  /** The span that this one links to. */
  readonly link: readonly [traceId: string, spanId: string] | null;
}

export interface LogRow extends Tenant {
  readonly time: bigint;
  readonly trace_id: string;
  readonly span_id: string;
  readonly severity: number;
  readonly service: string;
  readonly body: string;
  readonly resource: Readonly<Record<string, string>>;
  readonly strings: Readonly<Record<string, string>>;
  readonly ints: Readonly<Record<string, number>>;
}

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
export const traceId = (minute: number) => hex(0xabc000 + minute, 32);

function spansOf(tenant: Tenant, minute: number, seed: number): SpanRow[] {
  const fails = minute % 10 === 9;
  const at = START + BigInt(minute) * MINUTE + MS;
  const none = { strings: {}, ints: {}, floats: {}, bools: {}, jsons: {}, events: [], link: null };
  const trace = { ...tenant, trace_id: traceId(minute + seed) };
  const id = (n: number) => hex((minute + seed) * 16 + n, 16);
  const resource = (service: string) => ({ 'service.name': service, 'host.name': `${service}-${minute % 2}` });
  return [
    {
      ...trace,
      ...none,
      span_id: id(1),
      parent_span_id: '',
      time: at,
      duration: (minute + 1) * 1_000_000,
      service: 'frontend',
      name: 'GET /checkout',
      kind: 'server',
      status: fails ? 'error' : 'ok',
      weight: 1,
      resource: resource('frontend'),
      strings: { 'http.route': minute % 2 === 0 ? '/checkout' : '/cart' },
      ints: { 'http.response.status_code': fails ? 500 : 200 },
      // The payment of the previous minute caused every second one.
      link: minute % 2 === 1 ? [traceId(minute + seed - 1), hex((minute + seed - 1) * 16 + 2, 16)] : null,
    },
    {
      ...trace,
      ...none,
      span_id: id(2),
      parent_span_id: id(1),
      time: at + MS,
      duration: (minute + 1) * 500_000,
      service: 'checkout',
      name: 'POST /pay',
      kind: 'server',
      status: fails ? 'error' : 'unset',
      weight: 1,
      resource: resource('checkout'),
      strings: { currency: ['EUR', 'USD', 'GBP'][minute % 3] ?? '', 'http.method': 'POST' },
      ints: { 'order.id': minute },
      floats: { amount: minute * 1.5 },
      bools: { retried: minute % 4 === 0 },
      jsons: { items: JSON.stringify([{ sku: `s${minute}` }]) },
      events: fails ? [{ time: at + 2n * MS, name: 'exception', attributes: { 'exception.type': 'Timeout' } }] : [],
    },
    {
      ...trace,
      ...none,
      span_id: id(3),
      parent_span_id: id(2),
      time: at + 2n * MS,
      duration: 100_000,
      service: 'checkout',
      name: 'SELECT orders',
      kind: 'client',
      status: fails ? 'error' : 'unset',
      // One in ten of these spans was sampled.
      weight: 10,
      resource: resource('checkout'),
      strings: { 'db.system.name': 'postgresql' },
    },
  ];
}

function logsOf(tenant: Tenant, minute: number, seed: number): LogRow[] {
  const fails = minute % 10 === 9;
  const at = START + BigInt(minute) * MINUTE + 5n * MS;
  const span = { ...tenant, trace_id: traceId(minute + seed) };
  const served: LogRow = {
    ...span,
    time: at,
    span_id: hex((minute + seed) * 16 + 1, 16),
    severity: minute % 5 === 0 ? 5 : 9,
    service: 'frontend',
    body: `request ${minute} served in ${minute + 1}ms level=info path=/checkout`,
    resource: { 'service.name': 'frontend' },
    strings: { 'user.id': `u${minute % 7}` },
    ints: {},
  };
  const failed: LogRow = {
    ...span,
    time: at + MS,
    span_id: hex((minute + seed) * 16 + 2, 16),
    severity: 17,
    service: 'checkout',
    body: `Payment timeout for order ${minute}`,
    resource: { 'service.name': 'checkout', region: 'eu' },
    strings: { region: 'override' },
    ints: { attempt: 3 },
  };
  // A record outside of any trace, with JSON as its body.
  const json: LogRow = {
    ...tenant,
    trace_id: '',
    span_id: '',
    time: at + 2n * MS,
    severity: 13,
    service: 'audit',
    body: JSON.stringify({ action: 'login', user: { name: `n${minute}` }, ok: true, took: minute }),
    resource: { 'service.name': 'audit' },
    strings: {},
    ints: {},
  };
  return [served, ...(fails ? [failed] : []), ...(minute % 20 === 0 ? [json] : [])];
}

const minutes = Array.from({ length: MINUTES }, (_, minute) => minute);

/** The rows that the tenant of the tests can see. */
export const SPANS: readonly SpanRow[] = minutes.flatMap((minute) => spansOf(TENANT, minute, 0));
export const LOGS: readonly LogRow[] = minutes.flatMap((minute) => logsOf(TENANT, minute, 0));
/** The rows that it must not see: the same with other ids, and a service name that reveals a leak. */
const FOREIGN_SPANS = NEIGHBOURS.flatMap((tenant, i) =>
  minutes.flatMap((minute) => spansOf(tenant, minute, 1000 * (i + 1)).map((span) => ({ ...span, service: 'canary' }))),
);
const FOREIGN_LOGS = NEIGHBOURS.flatMap((tenant, i) =>
  minutes.flatMap((minute) => logsOf(tenant, minute, 1000 * (i + 1)).map((log) => ({ ...log, service: 'canary' }))),
);

const MAPS = 'resource Map(String, String), strings Map(String, String), ints Map(String, Int64)';

export const FIXTURE_TABLES: readonly FixtureTable[] = [
  {
    insert: `INSERT INTO spans (workspace, project, environment, retention_days, time, duration, trace_id, span_id, parent_span_id,
      service, name, kind, status, weight, resource, string_attributes, int_attributes, float_attributes, bool_attributes, json_attributes,
      event_time, event_name, event_attributes, link_trace_id, link_span_id, link_attributes)
      SELECT workspace, project, environment, 3650, fromUnixTimestamp64Nano(time, 'UTC'), duration, toFixedString(unhex(trace_id), 16),
      toFixedString(unhex(span_id), 8), toFixedString(unhex(parent_span_id), 8), service, name, kind, status, weight, resource, strings,
      ints, floats, bools, jsons, arrayMap(e -> fromUnixTimestamp64Nano(e.1, 'UTC'), events), arrayMap(e -> e.2, events), arrayMap(e -> e.3, events),
      if(link.1 = '', [], [toFixedString(unhex(link.1), 16)]), if(link.1 = '', [], [toFixedString(unhex(link.2), 8)]), if(link.1 = '', [], [map()]) FROM format(JSONEachRow, '${TENANT_STRUCTURE}, time Int64, duration UInt64, trace_id String,
      span_id String, parent_span_id String, service String, name String, kind String, status String, weight Float64, ${MAPS},
      floats Map(String, Float64), bools Map(String, Bool), jsons Map(String, String), events Array(Tuple(Int64, String, Map(String, String))), link Tuple(String, String)', {data})`,
    rows: rows(
      [...SPANS, ...FOREIGN_SPANS].map((span) => ({
        ...span,
        events: span.events.map((event) => [String(event.time), event.name, event.attributes]),
        link: span.link ?? ['', ''],
      })),
    ),
  },
  {
    insert: `INSERT INTO logs (workspace, project, environment, retention_days, time, observed_time, trace_id, span_id, severity,
      service, body, body_is_json, resource, string_attributes, int_attributes)
      SELECT workspace, project, environment, 3650, fromUnixTimestamp64Nano(time, 'UTC'), fromUnixTimestamp64Nano(time, 'UTC'),
      toFixedString(unhex(trace_id), 16), toFixedString(unhex(span_id), 8), severity, service, body, startsWith(body, '{'), resource,
      strings, ints FROM format(JSONEachRow, '${TENANT_STRUCTURE}, time Int64, trace_id String, span_id String, severity UInt8,
      service String, body String, ${MAPS}', {data})`,
    rows: rows([...LOGS, ...FOREIGN_LOGS]),
  },
  ...METRIC_TABLES,
  ...EXEMPLAR_TABLES,
  ...PROFILE_TABLES,
  ...FLAG_TABLES,
];
