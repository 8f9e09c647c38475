import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SignedUp, signUp, testClient, until } from '../../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';

/** Maps and lists that were sent over OTLP are found and returned by queries, wherever they were sent. */

let server: TestServer;
let user: SignedUp;
const seconds = Math.floor(Date.now() / 1000) - 60;
const at = (ms: number) => String(BigInt(seconds) * 1_000_000_000n + BigInt(ms) * 1_000_000n);

const text = (stringValue: string) => ({ stringValue });
const map = (entries: Record<string, object>) => ({
  kvlistValue: { values: Object.entries(entries).map(([key, value]) => ({ key, value })) },
});
/** `m` is a map, `m.flat` an attribute of that name. */
const attributes = [
  {
    key: 'm',
    value: map({ a: map({ b: text('x'), n: { intValue: '5' } }), list: { arrayValue: { values: [text('p')] } } }),
  },
  { key: 'm.flat', value: text('y') },
];
const resource = {
  attributes: [
    { key: 'service.name', value: text('shop') },
    { key: 'r', value: map({ a: text('x') }) },
  ],
};
/** What can be asked for, and how many rows were sent. */
const sources = [
  ['spans', 1],
  ['events', 1],
  ['links', 1],
  ['logs', 4],
] as const;
const traceId = 'ab'.repeat(16);
const spanId = 'cd'.repeat(8);

beforeAll(async () => {
  server = await startTestServer();
  user = await signUp(server.base);
  const sender = testClient(server.base, { bearer: await user.token(['telemetry:ingest']) });
  const span = {
    ...{ traceId, spanId, name: 'pay', kind: 2, startTimeUnixNano: at(0), endTimeUnixNano: at(10), attributes },
    events: [{ timeUnixNano: at(1), name: 'retry', attributes }],
    links: [{ traceId, spanId, attributes }],
  };
  const bodies = [
    map({ user: map({ id: text('x'), age: { intValue: '9007199254740993' } }), ok: { boolValue: true } }),
    { arrayValue: { values: [text('first'), { doubleValue: 1.5 }] } },
    text('{"user":{"id":"y"}}'),
    text('plain'),
  ];
  const logRecords = bodies.map((body, i) => ({ timeUnixNano: at(i), severityNumber: 9, body, attributes }));
  const sent = [
    await sender.post('/v1/traces', { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }),
    await sender.post('/v1/logs', { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] }),
  ];
  expect(sent.map(({ status }) => status)).toEqual([200, 200]);
  // A name that was never sent before is known a moment later; until then, an answer warns that it has not been seen.
  for (const [source, all] of sources)
    for (const path of ['m.a.b', 'r.a'])
      await until(async () => (await rows(`${source} | where ${path} == "x" | count`))[0]?.[0] === all);
});
afterAll(() => server?.stop());

async function ask(query: string) {
  const answer = await user.post(`${user.workspace}/query`, { query, from: 'now-1h', to: 'now+5m' });
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  return answer.data as { columns: { name: string; type: string }[]; rows: unknown[][] };
}
const rows = async (query: string) => (await ask(query)).rows;

it.each(sources)('%s find a path into a map', async (source, all) => {
  const conditions = [
    'm.a.b == "x"',
    'm.a.n > 4',
    'm.list has "p"',
    'attr.m.a.b == "x"',
    'm.flat == "y"',
    'r.a == "x"',
    'resource.r.a == "x"',
  ];
  for (const condition of conditions)
    expect(await rows(`${source} | where ${condition} | count`), condition).toEqual([[all]]);
  for (const condition of ['m.a.b == "y"', 'm.a.c exists', 'm.flat.x exists'])
    expect(await rows(`${source} | where ${condition} | stats n=count()`), condition).toEqual([[0]]);
  expect(await rows(`${source} | stats n=count() by m.a.b, m.a.n`)).toEqual([['x', 5, all]]);
});

it('returns a structured body as it was sent, and a text that looks like JSON as a text', async () => {
  const { columns, rows: returned } = await ask('logs | sort time | fields body');
  expect(columns).toEqual([{ name: 'body', type: 'any' }]);
  expect(returned).toEqual([
    [{ user: { id: 'x', age: '9007199254740993' }, ok: true }],
    [['first', 1.5]],
    ['{"user":{"id":"y"}}'],
    ['plain'],
  ]);
});

it.each([
  'logs | sort time | limit 1',
  'logs | where body has "age" | extend b = body | sort time | limit 1',
  'logs | sort time | limit 1 | fields body | union (spans | extend body = name | fields body | limit 0)',
])('keeps the structure of a body: %s', async (query) => {
  const { columns, rows: returned } = await ask(query);
  const at = columns.findIndex(({ name }) => name === 'body');
  expect(returned[0]?.[at]).toMatchObject({ user: { id: 'x' } });
});

it.each(['', 'left '])('keeps it beside a row: join %s', async (mode) => {
  const query = `spans | join ${mode}logs on service.name as l | where l.body.ok == true | fields name, l.body`;
  expect(await rows(query)).toMatchObject([['pay', { user: { id: 'x' } }]]);
});

it('reads inside of a body, and groups and filters by what is there', async () => {
  expect(await rows('logs | where body.user.id == "x" | count')).toEqual([[1]]);
  expect(
    await rows('logs | where body["user"]["id"] exists | stats n=count() by body.user.id | sort body.user.id'),
  ).toEqual([
    ['x', 1],
    ['y', 1],
  ]);
  expect(await rows('logs | where body[0] == "first" | fields body[1]')).toEqual([[1.5]]);
});

it('groups by a structured body as its JSON text', async () => {
  expect(await rows('logs | where body.ok exists | stats n=count() by body')).toEqual([
    ['{"user":{"id":"x","age":9007199254740993},"ok":true}', 1],
  ]);
});
