import { isDeepStrictEqual } from 'node:util';
import { compile, decodeRow, type ResultValue } from '@fanion/oql';
import { tableColumns } from '@fanion/telemetry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { int, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { createClickHouse, migrateTelemetry } from '../../../platform/clickhouse/index.ts';
import { migrations } from '../../../platform/clickhouse/migrations/index.ts';
import { startTestServer, type TestServer } from './testing/http.ts';
import { JAEGER_QUERIES, JAEGER_TRACES, jaegerTraceId, oqlOf, otlpOf } from './testing/jaeger.ts';
import { startTestStore, type TestStore } from './testing/store.ts';

/** Everything in OTLP is stored, can be queried in OQL, and is returned with its original types. */

let telemetry: TestStore;
let server: TestServer;
const HOUR = 3_600_000_000_000n;
const now = BigInt(Date.now()) * 1_000_000n;
const begin = now - HOUR;
const at = String(begin);
const double = (key: string, value: number | string) => ({ key, value: { doubleValue: value } });
const bool = (key: string, value: boolean) => ({ key, value: { boolValue: value } });
const list = (key: string, values: readonly object[]) => ({ key, value: { arrayValue: { values } } });
const typed = [
  text('text', 'x'),
  int('whole', 9_007_199_254_740_993n),
  double('float', 72.5),
  double('nan', 'NaN'),
  bool('yes', true),
  list('list', [{ intValue: '1' }, { intValue: '2' }]),
  { key: 'map', value: { kvlistValue: { values: [text('k', 'v')] } } },
];
/** The same in the form of a response. */
const back = {
  text: 'x',
  whole: '9007199254740993',
  float: 72.5,
  nan: 'NaN',
  yes: true,
  list: [1, 2],
  map: { k: 'v' },
};
const resource = { attributes: [text('service.name', 'whole'), ...typed], droppedAttributesCount: 1 };
const scope = { name: 'lib', version: '2', attributes: typed, droppedAttributesCount: 2 };
const schemas = { schemaUrl: 'https://example.com/schemas/resource/1' };
const scopeSchema = { schemaUrl: 'https://example.com/schemas/scope/1' };
const ids = { traceId: '5b8efff798038103d269b633813fc60c', spanId: 'eee19b7ec3c1b174' };

async function store(signal: string, request: object): Promise<void> {
  const response = await server.send(signal, JSON.stringify(request), { 'content-type': 'application/json' });
  expect(await response.text()).toBe('{}');
  await server.ingest.flush();
}

async function ask(query: string): Promise<ResultValue[][]> {
  const window = { fromNs: begin - HOUR, toNs: now };
  const compiled = compile(query, { scope: { workspace: 7, project: 9 }, window, limit: 1000, nowNs: now });
  if (!compiled.ok) throw new Error(`${query}: ${compiled.diagnostics.map(({ message }) => message).join('; ')}`);
  const params = Object.fromEntries(Object.entries(compiled.params).map(([name, { value }]) => [name, value]));
  const { rows } = await telemetry.store.query(compiled.sql, {
    params,
    settings: { ...compiled.settings, output_format_json_quote_64bit_integers: 1 },
  });
  return rows.map((row) => decodeRow(compiled.columns, row));
}

beforeAll(async () => {
  telemetry = await startTestStore();
  server = await startTestServer({ clickhouse: telemetry.clickhouse });
  const span = {
    ...ids,
    traceState: 'a=b',
    flags: 257,
    name: 'whole span',
    startTimeUnixNano: at,
    endTimeUnixNano: String(begin + 1_000_000n),
    attributes: typed,
    droppedAttributesCount: 3,
    events: [
      { timeUnixNano: at, name: 'happened', attributes: typed, droppedAttributesCount: 4 },
      { timeUnixNano: at },
    ],
    droppedEventsCount: 5,
    links: [
      { traceId: 'aa'.repeat(16), spanId: 'bb'.repeat(8) },
      { ...ids, traceState: 'c=d', flags: 769, attributes: typed, droppedAttributesCount: 6 },
    ],
    droppedLinksCount: 7,
  };
  const record = {
    timeUnixNano: at,
    observedTimeUnixNano: at,
    flags: 1,
    body: { stringValue: 'whole record' },
    attributes: typed,
    droppedAttributesCount: 8,
  };
  const point = {
    timeUnixNano: at,
    asDouble: 1,
    attributes: typed,
    exemplars: [{ timeUnixNano: at, asDouble: 2, filteredAttributes: [int('own', 1)], ...ids }],
  };
  await store('traces', {
    resourceSpans: [{ resource, ...schemas, scopeSpans: [{ scope, ...scopeSchema, spans: [span] }] }],
  });
  await store('logs', {
    resourceLogs: [{ resource, ...schemas, scopeLogs: [{ scope, ...scopeSchema, logRecords: [record] }] }],
  });
  await store('metrics', {
    resourceMetrics: [
      {
        resource,
        ...schemas,
        scopeMetrics: [{ scope, ...scopeSchema, metrics: [{ name: 'whole.gauge', gauge: { dataPoints: [point] } }] }],
      },
    ],
  });
});
afterAll(async () => {
  await server?.close();
  await telemetry?.close();
});

const OF_RESOURCE = 'resource, resource.schema_url, resource.dropped_attributes_count';
const OF_SCOPE = 'scope.name, scope.version, scope.attributes, scope.schema_url, scope.dropped_attributes_count';
const withService = { 'service.name': 'whole', ...back };
const aboutResource = [withService, schemas.schemaUrl, 1];
const aboutScope = ['lib', '2', back, scopeSchema.schemaUrl, 2];

describe('the fields of a resource and a scope', () => {
  it.each(['spans', 'logs', 'metric whole.gauge'])('can be queried in %s', async (source) => {
    const where = 'where service.name == "whole"';
    expect(await ask(`${source} | ${where} | fields ${OF_RESOURCE}`)).toEqual([aboutResource]);
    expect(await ask(`${source} | ${where} | fields ${OF_SCOPE}`)).toEqual([aboutScope]);
    const values = 'resource.float, resource.yes, resource.list, resource.nan, resource.whole, scope.float, scope.yes';
    expect(
      await ask(`${source} | ${where} and scope.float == 72.5 and resource.yes == true | fields ${values}`),
    ).toEqual([[72.5, true, [1, 2], 'NaN', '9007199254740993', 72.5, true]]);
  });
});

describe('the fields of a span', () => {
  const where = 'where name == "whole span"';
  it('include flags, state and dropped counts', async () => {
    const fields = 'trace_state, flags, dropped_attributes_count, dropped_events_count, dropped_links_count';
    expect(await ask(`spans | ${where} | fields ${fields}`)).toEqual([['a=b', 257, 3, 5, 7]]);
    expect(await ask(`spans | ${where} | fields attributes`)).toEqual([[back]]);
  });

  it('include events with their types', async () => {
    const query = 'events | where span.name == "whole span" | sort -dropped_attributes_count';
    expect(await ask(`${query} | fields name, attributes, dropped_attributes_count`)).toEqual([
      ['happened', back, 4],
      ['', {}, 0],
    ]);
    expect(
      await ask(`${query} | where attr.float == 72.5 | fields float, yes, list, resource.float, scope.yes`),
    ).toEqual([[72.5, true, [1, 2], 72.5, true]]);
  });

  it('include links with their state, flags and types', async () => {
    const query = 'links | where span.name == "whole span" | sort -dropped_attributes_count';
    const fields = 'link.trace_id, link.span_id, link.trace_state, link.flags, attributes, dropped_attributes_count';
    expect(await ask(`${query} | fields ${fields}`)).toEqual([
      [ids.traceId, ids.spanId, 'c=d', 769, back, 6],
      ['aa'.repeat(16), 'bb'.repeat(8), null, 0, {}, 0],
    ]);
    expect(await ask(`${query} | where attr.float == 72.5 | stats n=count() by link.trace_state, yes`)).toEqual([
      ['c=d', true, 1],
    ]);
  });
});

it('a log record keeps its flags and dropped count', async () => {
  expect(await ask('logs | where body == "whole record" | fields flags, dropped_attributes_count, attributes')).toEqual(
    [[1, 8, back]],
  );
});

it('a metric and an exemplar keep the attributes that were sent', async () => {
  expect(await ask('metric whole.gauge | fields value, attributes, float, yes')).toEqual([[1, back, 72.5, true]]);
  expect(await ask('exemplars whole.gauge | fields value, attributes, own, float')).toEqual([
    [2, { ...back, own: 1 }, 1, 72.5],
  ]);
});

/** Facts of the examples of opentelemetry-proto (`examples/*.json`, Apache-2.0), with another time. */
describe('the examples of opentelemetry-proto are returned complete', () => {
  const about = {
    resource: { attributes: [text('service.name', 'my.service')] },
    scope: { name: 'my.library', version: '1.0.0', attributes: [text('my.scope.attribute', 'some scope attribute')] },
  };
  const fields = 'service.name, resource, scope.name, scope.version, scope.attributes';
  const sent = [
    'my.service',
    { 'service.name': 'my.service' },
    'my.library',
    '1.0.0',
    { 'my.scope.attribute': 'some scope attribute' },
  ];
  const ofService = 'where service.name == "my.service"';

  it('trace.json', async () => {
    const span = {
      ...ids,
      traceId: ids.traceId.toUpperCase(),
      parentSpanId: 'EEE19B7EC3C1B173',
      name: "I'm a server span",
      startTimeUnixNano: at,
      endTimeUnixNano: String(begin + 1_000_000_000n),
      kind: 2,
      attributes: [text('my.span.attr', 'some value')],
    };
    const { scope, resource } = about;
    await store('traces', { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: [span] }] }] });
    const own = 'trace_id, span_id, parent_span_id, name, duration, kind, attributes';
    expect(await ask(`spans | ${ofService} | fields ${fields}, ${own}`)).toEqual([
      [
        ...sent,
        ...[ids.traceId, ids.spanId, 'eee19b7ec3c1b173', "I'm a server span", 1_000_000_000, 'server'],
        { 'my.span.attr': 'some value' },
      ],
    ]);
  });

  it('logs.json and events.json', async () => {
    const logged = {
      timeUnixNano: at,
      observedTimeUnixNano: at,
      severityText: 'Information',
      ...ids,
      body: { stringValue: 'Example log record' },
      attributes: [
        text('string.attribute', 'some string'),
        bool('boolean.attribute', true),
        int('int.attribute', 10),
        double('double.attribute', 637.704),
        list('array.attribute', [{ stringValue: 'many' }, { stringValue: 'values' }]),
        { key: 'map.attribute', value: { kvlistValue: { values: [text('some.map.key', 'some value')] } } },
      ],
    };
    const event = {
      timeUnixNano: at,
      observedTimeUnixNano: at,
      severityNumber: 9,
      attributes: [text('event.name', 'browser.page_view')],
      body: { kvlistValue: { values: [int('type', 0), text('title', 'Free Online GUID Generator')] } },
    };
    const { scope, resource } = about;
    await store('logs', { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: [logged, event] }] }] });
    const own = 'severity_number, severity_text, event_name, trace_id, body, attributes';
    expect(await ask(`logs | ${ofService} | sort severity_text | fields ${fields}, ${own}`)).toEqual([
      [
        ...sent,
        ...[9, 'Information', null, ids.traceId, 'Example log record'],
        {
          'string.attribute': 'some string',
          'boolean.attribute': true,
          'int.attribute': 10,
          'double.attribute': 637.704,
          'array.attribute': ['many', 'values'],
          'map.attribute': { 'some.map.key': 'some value' },
        },
      ],
      [
        ...sent,
        ...[9, null, 'browser.page_view', null, { type: 0, title: 'Free Online GUID Generator' }],
        { 'event.name': 'browser.page_view' },
      ],
    ]);
  });

  it('metrics.json', async () => {
    const attribute = (kind: string) => [text(`my.${kind}.attr`, 'some value')];
    const times = { startTimeUnixNano: at, timeUnixNano: at };
    const sum = { aggregationTemporality: 1, isMonotonic: true };
    // The example has one bound for its three counts, which the protocol forbids and ingest rejects.
    const histogram = { count: 3, sum: 3, bucketCounts: [1, 1, 1], explicitBounds: [1, 2], min: 1, max: 1 };
    const metrics = [
      {
        name: 'my.counter',
        unit: '1',
        sum: { ...sum, dataPoints: [{ asDouble: 5, ...times, attributes: attribute('counter') }] },
      },
      {
        name: 'my.gauge',
        unit: '1',
        gauge: { dataPoints: [{ asDouble: 10, timeUnixNano: at, attributes: attribute('gauge') }] },
      },
      {
        name: 'my.histogram',
        unit: '1',
        histogram: {
          aggregationTemporality: 1,
          dataPoints: [{ ...histogram, ...times, attributes: attribute('histogram') }],
        },
      },
    ];
    const { scope, resource } = about;
    await store('metrics', { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }] });
    const own = (name: string) => ask(`metric ${name} | fields ${fields}, value, kind, temporality, unit, attributes`);
    expect(await ask('metric my.histogram | fields count, sum, min, max, attributes')).toEqual([
      [3, 3, 1, 1, { 'my.histogram.attr': 'some value' }],
    ]);
    expect(await own('my.counter')).toEqual([[...sent, 5, 'sum', 'delta', '1', { 'my.counter.attr': 'some value' }]]);
    expect(await own('my.gauge')).toEqual([
      [...sent, 10, 'gauge', 'unspecified', '1', { 'my.gauge.attr': 'some value' }],
    ]);
  });
});

describe('the queries of the storage tests of Jaeger', () => {
  beforeAll(async () => {
    await store('traces', { resourceSpans: JAEGER_TRACES.map((one, i) => otlpOf(one, i, begin)) });
  });

  it('are 25', () => expect(JAEGER_QUERIES).toHaveLength(25));

  it.each(JAEGER_QUERIES)('$caption', async (query) => {
    const expected = JAEGER_TRACES.flatMap(({ name }, i) => (query.finds.includes(name) ? [[jaegerTraceId(i)]] : []));
    expect(expected).toHaveLength(query.finds.length);
    expect(await ask(oqlOf(query))).toEqual(expected);
  });
});

describe('the shapes of tables', () => {
  it.each(Object.entries(tableColumns))('%s has the columns that are written', async (table, columns) => {
    const found = await telemetry.store.queryRows<{ name: string }>(
      `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {table:String} AND default_kind NOT IN ('ALIAS', 'MATERIALIZED')`,
      { params: { table } },
    );
    // The failure names a column that no migration creates or that nothing writes.
    expect(found.map(({ name }) => name).sort()).toEqual([...columns].sort());
  });
});

describe('the texts for answers', () => {
  beforeAll(async () => {
    const odd = ['"', '\\', '\0', '\u2028', 'ü😀', '', '</script>', '__proto__', '1'].map((one) =>
      text(`odd ${one}`, one),
    );
    const about = {
      attributes: [text('service.name', 'odd'), ...odd, ...typed],
      droppedAttributesCount: 4_294_967_295,
    };
    const item = { attributes: odd, timeUnixNano: at };
    const link = { ...ids, attributes: odd, traceState: '"\\', flags: 4_294_967_295 };
    const span = {
      traceId: '0dd'.padEnd(32, '1'),
      spanId: '0dd'.padEnd(16, '1'),
      name: 'odd',
      startTimeUnixNano: at,
      endTimeUnixNano: at,
    };
    const spans = [
      {
        ...span,
        events: [
          { ...item, name: '"\\' },
          { ...item, timeUnixNano: '0' },
        ],
      },
      { ...span, links: [link, link] },
      { ...span, events: [item], links: [link] },
    ];
    const named = { name: '"\\', version: 'ü😀', attributes: odd };
    await store('traces', { resourceSpans: [{ resource: about, scopeSpans: [{ scope: named, spans }] }] });
    await store('logs', { resourceLogs: [{ resource: about, scopeLogs: [{ scope: named, logRecords: [item] }] }] });
  });

  /** What the engine computes from the columns of a row. */
  const differing = async (table: string, column: string) => {
    const [found] = await telemetry.store.queryRows<{ expression: string }>(
      `SELECT default_expression AS expression FROM system.columns WHERE database = currentDatabase() AND table = {table:String} AND name = {column:String}`,
      { params: { table, column } },
    );
    const { rows } = await telemetry.store.query(`SELECT ${column}, ${found?.expression} FROM ${table}`);
    expect(rows.length).toBeGreaterThan(0);
    const parsed = (text: unknown) => (text === '' ? '' : JSON.parse(String(text)));
    return rows.filter(([stored, computed]) => !isDeepStrictEqual(parsed(stored), parsed(computed)));
  };

  it.each([
    ['spans', 'resource_text'],
    ['spans', 'scope_text'],
    ['spans', 'lists_text'],
    ['logs', 'resource_text'],
    ['logs', 'scope_text'],
  ])('say what the other columns of %s say: %s', async (table, column) => {
    expect(await differing(table, column)).toEqual([]);
  });
});

it('reads rows that older versions wrote', async () => {
  const clickhouse = { ...telemetry.clickhouse, database: 'before' };
  await migrateTelemetry({ ...clickhouse, migrations: migrations.filter(({ id }) => id < 11) });
  const old = createClickHouse(clickhouse);
  await old.command(
    `INSERT INTO spans (workspace, project, environment, retention_days, time, service, name, event_time, event_name, event_attributes,
      link_trace_id, link_span_id, link_attributes, resource)
     SELECT 7, 9, 'production', 30, now64(9) - 60, 'old', 'old span', [now64(9), now64(9)], ['a', 'b'], [map('n', '1'), map()],
      [toFixedString('x', 16)], [toFixedString('y', 8)], [map('m', 'true')], map('host.cpus', '8')`,
  );
  expect(await migrateTelemetry({ ...clickhouse, migrations: migrations.filter(({ id }) => id < 25) })).toContain(11);
  // Until the texts of old rows are stored, they are computed when they are read.
  await old.command('SYSTEM STOP MERGES spans');
  expect(await migrateTelemetry(clickhouse)).toEqual(expect.arrayContaining([25, 27, 28]));
  const { rows } = await old.query(
    `SELECT length(event_types), length(event_dropped_attributes_count), length(link_types), length(link_trace_state), length(link_flags),
       length(link_dropped_attributes_count), resource_types, scope_schema_url, resource_dropped_attributes_count FROM spans`,
  );
  expect(rows).toEqual([[2, 2, 1, 1, 1, 1, '', '', 0]]);
  const newest =
    'SELECT resource_text, scope_text, lists_text, string_attributes FROM spans ORDER BY time DESC LIMIT 1';
  const { rows: texts } = await old.query(newest);
  const [resource_text, scope_text, lists_text] = (texts[0] ?? []).slice(0, 3).map((one) => JSON.parse(String(one)));
  expect(resource_text).toEqual([{ 'host.cpus': '8' }, '', '', 0]);
  expect(scope_text).toEqual([{}, '', '', 0, '', '']);
  expect(lists_text.slice(1, 3)).toEqual([
    ['a', 'b'],
    [{ n: '1' }, {}],
  ]);
  expect(lists_text.slice(5, 8)).toEqual([['78'.padEnd(32, '0')], ['79'.padEnd(16, '0')], [{ m: 'true' }]]);
  await old.close();
});
