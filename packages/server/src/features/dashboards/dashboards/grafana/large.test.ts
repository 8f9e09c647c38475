import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longestTurn } from '../../../../testing/event-loop.ts';
import { type SignedUp, signUp } from '../../../../testing/test-client.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-server.ts';

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const panel = (expr: string, target: object = {}) => ({
  ...{ type: 'timeseries', title: 'T', datasource: { type: 'prometheus' } },
  targets: [{ expr, ...target }],
});
const logs = (expr: string) => ({ type: 'logs', datasource: { type: 'loki' }, targets: [{ expr }] });
const longest = (expression: string) => expression.slice(0, 8_100);
const variables = (make: (index: number) => object) => ({
  panels: [],
  templating: { list: many(50, (i) => ({ name: `v${i}`, ...make(i) })) },
});

/** The largest conversions within the limits of a body: 8 MiB, 100,000 values, 10,000 members of an object. */
const conversions: readonly (readonly [string, object])[] = [
  ['99,000 empty panels', { panels: many(99_000, () => ({})) }],
  ['19,000 text panels', { panels: many(19_000, (id) => ({ id, type: 'text', options: { content: 'x' } })) }],
  ['7 MB of text panels', { panels: many(200, () => ({ type: 'text', options: { content: '<b>x'.repeat(9_000) } })) }],
  ['a text of 7 MB', { panels: [], description: 'abcdefg'.repeat(1_000_000) }],
  ['a title of 7 MB', { panels: [], title: 'abcdefg'.repeat(1_000_000) }],
  ['a list of 90,000 numbers', { panels: [{ type: 'text', options: many(90_000, Number) }] }],
  ['long PromQL expressions', { panels: many(5, () => panel(longest(`sum(${'rate(a[5m]) + '.repeat(900)}`))) }],
  ['700 labels', { panels: many(2, () => panel(`a{${many(700, (i) => `l${i}="v"`).join(',')}}`)) }],
  ['long legends', { panels: many(10, () => panel('up', { legendFormat: '{{a}}'.repeat(1_600) })) }],
  ['200 LogQL filters', { panels: many(200, () => logs(longest(`{a="b"}${' |= "x"'.repeat(1_100)}`))) }],
  ['200 LogQL stages', { panels: many(200, () => logs(longest(`{a="b"}${' | json'.repeat(1_100)}`))) }],
  ['200 open LogQL stages', { panels: many(200, () => logs(longest(`{a="b"} | json ${'"a" '.repeat(2_000)}"`))) }],
  ['200 LogQL selectors', { panels: many(200, () => logs(longest(`{${'a="b",'.repeat(1_300)}}`))) }],
  [
    '9,900 elements',
    {
      elements: Object.fromEntries(many(9_900, (i) => [`e${i}`, { spec: { title: 'x' } }])),
      layout: { kind: 'GridLayout', spec: { items: many(9_900, (i) => ({ spec: { element: { name: `e${i}` } } })) } },
    },
  ],
  [
    '50 variable queries',
    variables(() => ({ type: 'query', query: `label_values(a{${'b="c",'.repeat(10_000)}}, d)` })),
  ],
  ['50 open variable queries', variables(() => ({ type: 'query', query: `label_values(${'((('.repeat(20_000)}` }))],
  ['50 lists', variables(() => ({ type: 'custom', query: 'a,'.repeat(32_000) }))],
  ['50 lists of colons', variables(() => ({ type: 'custom', query: ' : '.repeat(21_000) }))],
  ['50 intervals', variables(() => ({ type: 'interval', query: '1m,'.repeat(21_000) }))],
];

const conditions = (length: number) => `spans | where ${'name == $v0 and '.repeat(Math.floor(length / 16))}true`;
const asked = {
  definitions: [
    { name: 'v0', type: 'list', values: many(100, (n) => `${n}`) },
    ...many(4, (i) => ({ name: `v${i + 1}`, type: 'query', query: conditions(10_000) })),
  ],
  variables: { v0: many(90, (n) => `${n}${'x'.repeat(100)}`) },
};

/** Milliseconds. */
const most = 50;

describe.skipIf(!existsSync('/proc/thread-self/schedstat'))('the event loop', () => {
  let server: TestServer;
  let ada: SignedUp;
  beforeAll(async () => {
    server = await startTestServer();
    ada = await signUp(server.base);
  });
  afterAll(() => server?.stop());

  /** Sends a body that is encoded already, and discards the answer: the client runs on the same event loop. */
  const post = (path: string, body: Buffer) =>
    new Promise<number>((resolve, reject) => {
      const headers = {
        ...{ cookie: ada.cookie, 'sec-fetch-site': 'same-origin' },
        ...{ 'content-type': 'application/json', 'content-length': body.length },
      };
      const sent = request(`${server.base}${ada.workspace}/dashboards${path}`, { method: 'POST', headers }, (answer) =>
        answer
          .on('end', () => resolve(answer.statusCode ?? 0))
          .on('error', reject)
          .resume(),
      );
      sent.on('error', reject).end(body);
    });

  /** The shorter of two runs: the first one also compiles code. */
  async function longestTurnOf(path: string, json: object): Promise<number> {
    const body = Buffer.from(JSON.stringify(json));
    const turns: number[] = [];
    for (let run = 0; run < 2; run++)
      turns.push(await longestTurn(async () => expect(await post(path, body)).toBe(200)));
    const shorter = Math.min(...turns);
    console.log(`${path}: ${(body.length / 1024).toFixed(0)} KiB, longest turn ${shorter.toFixed(1)} ms`);
    return shorter;
  }

  it.each(conversions)('is free within 50 ms while a Grafana dashboard is converted: %s', async (_, json) => {
    expect(await longestTurnOf('/convert', { grafana: { title: 'Large', ...json } })).toBeLessThan(most);
  });

  it('is free within 50 ms while the values of variables are written into long queries', async () => {
    expect(await longestTurnOf('/variables', asked)).toBeLessThan(most);
  });
});
