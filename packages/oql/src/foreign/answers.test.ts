import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validate } from '../compile.ts';
import { type Engine, startEngine } from '../testing/engine.ts';
import { FIXTURE_TABLES, LOGS } from '../testing/fixture.ts';
import { buckets, loaded } from '../testing/prometheus/notation.ts';
import { seriesTables } from '../testing/series-tables.ts';

/** The result of the original query over the same rows, by the definition of its language. */
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine([
    ...FIXTURE_TABLES,
    ...seriesTables([
      // 1 a minute for fifty minutes, then 10 a minute.
      loaded('sum', 'jobs_total', { queue: 'a', code: '500' }, '0+1x50 60+10x8', 60),
      loaded('sum', 'jobs_total', { queue: 'b', code: '200' }, '0+2x59', 60),
      loaded('sum', 'jobs_total', { queue: 'c' }, '0+3x59', 60),
      loaded('gauge', 'load1', { host: 'a' }, '1+0x59', 60),
      ...buckets('rpc_seconds', { route: '/a' }, { '0.1': '0+5x11', '1': '0+8x11', '+Inf': '0+10x11' }),
    ]),
  ]);
});
afterAll(() => engine.stop());

const shownFor = (text: string) => validate(text).diagnostics[0]?.suggestion?.edit.text;
const logs = (keep: (log: (typeof LOGS)[number]) => boolean) => LOGS.filter(keep).length;
const parsed = LOGS.filter(({ body }) => body.startsWith('{')).map(({ body }) => JSON.parse(body) as { took: number });
const isTimeout = ({ body }: { readonly body: string }) => body.includes('timeout');

const answers: readonly (readonly [text: string, rows: readonly unknown[]])[] = [
  // SQL: text comparisons are case-sensitive, and a comparison with a missing value is never true.
  ["SELECT count(*) FROM logs WHERE message LIKE '%Payment%'", [[logs(({ body }) => body.includes('Payment'))]]],
  ["SELECT count(*) FROM logs WHERE message LIKE '%payment%'", [[0]]],
  ["SELECT count(*) FROM logs WHERE message ILIKE '%payment%'", [[logs(({ body }) => /payment/i.test(body))]]],
  ["SELECT count(*) FROM logs WHERE message LIKE 'request _ %'", [[logs(({ body }) => /^request . /.test(body))]]],
  ["SELECT count(*) FROM logs WHERE message NOT LIKE 'request%'", [[logs(({ body }) => !body.startsWith('request'))]]],
  ["SELECT count(*) FROM logs WHERE user.id <> 'u1'", [[logs(({ strings }) => (strings['user.id'] ?? 'u1') !== 'u1')]]],
  [
    "SELECT count(*) FROM logs WHERE user.id NOT IN ('u1', 'u2') AND service = 'frontend'",
    [[logs(({ strings }) => !['u1', 'u2', undefined].includes(strings['user.id']))]],
  ],
  ['SELECT count(*) FROM logs WHERE user.id IS NULL', [[logs(({ strings }) => strings['user.id'] === undefined)]]],
  ['SELECT count(attempt) FROM logs', [[logs(({ ints }) => ints.attempt !== undefined)]]],
  ['SELECT sum(attempt), max(attempt) FROM logs', [[18, 3]]],
  ['SELECT service FROM logs GROUP BY service ORDER BY service', [['audit'], ['checkout'], ['frontend']]],
  ['SELECT message FROM logs WHERE attempt = 3 ORDER BY timestamp DESC LIMIT 1', [['Payment timeout for order 59']]],
  ['SELECT name AS n FROM spans WHERE order.id = 7 ORDER BY n', [['POST /pay']]],
  [
    "SELECT service, count(*) FROM spans GROUP BY service HAVING service <> 'x' ORDER BY count(*) DESC",
    [
      // Some of these were sampled: one span of ten was kept.
      ['checkout', 660],
      ['frontend', 60],
    ],
  ],
  ['SELECT name, avg(amount) AS a FROM spans WHERE amount BETWEEN 3 AND 6 GROUP BY name', [['POST /pay', 4.5]]],
  ['SELECT count(DISTINCT currency) AS n FROM spans', [[3]]],
  // LogQL
  ['sum(count_over_time({app=~".+"} |= "payment" [1h]))', []],
  [
    '{app="checkout"} |= "Payment timeout" != "order 9"',
    LOGS.filter(isTimeout).filter(({ body }) => !/order 9/.test(body)),
  ],
  ['{app="audit"} | json | took > 15', parsed.filter(({ took }) => took > 15)],
  ['{app="audit"} | json | action="login"', parsed],
  ['{app="audit"} | json | level="login"', []],
  ['{app="frontend"} | logfmt | level=~"inf"', []],
  ['{app="frontend"} | logfmt | level=~"info?"', LOGS.filter(({ service }) => service === 'frontend')],
  // KQL: `=~` ignores case, and the first argument of `arg_max` is the compared value.
  ['AppTraces | where Message =~ "payment TIMEOUT for order 9" | summarize count()', [[1]]],
  ['AppTraces | where Message contains "PAYMENT" | summarize n=count() by service | top 5 by n', [['checkout', 6]]],
  ['AppTraces | summarize count() by service | order by count_ | take 1', [['frontend', 60]]],
  ['AppTraces | where attempt == 3 | summarize m=arg_max(TimeGenerated, Message)', [['Payment timeout for order 59']]],
  ['AppDependencies | distinct service | order by service asc', [['checkout'], ['frontend']]],
  [
    'AppRequests | summarize p=percentile(amount, 50), c=countif(status == "error") by name | top 1 by c',
    [['SELECT orders', null, 60]],
  ],
];

test.each(answers)('%s', async (text, rows) => {
  const shown = shownFor(text);
  if (shown === undefined) throw new Error('shows no OQL');
  const answer = await engine.ask(shown);
  // Only counts the rows of logs, since their columns are those of OQL.
  const isRaw = rows.every((row) => !Array.isArray(row));
  if (isRaw) expect(answer.rows.length).toBe(rows.length);
  else expect(answer.rows).toEqual(rows);
});

describe('PromQL, at the end of the window', () => {
  test.each([
    ['sum(rate(jobs_total[5m]))', 10 / 60 + 2 / 60 + 3 / 60],
    ['sum(rate(jobs_total{queue="a"}[5m]))', 10 / 60],
    ['max(rate(jobs_total[5m]))', 10 / 60],
    ['avg(rate(jobs_total[5m]))', 15 / 3 / 60],
    ['count(rate(jobs_total[5m]))', 3],
    ['sum(increase(jobs_total{queue!="a"}[10m]))', 50],
    // A missing label is an empty string.
    ['sum(rate(jobs_total{code=""}[5m]))', 3 / 60],
    ['sum(rate(jobs_total{code!=""}[5m]))', 12 / 60],
    ['sum(rate(jobs_total{code!="200"}[5m]))', 13 / 60],
    ['sum(rate(jobs_total{code=~"5.."}[5m]))', 10 / 60],
    ['sum(rate(jobs_total{code!~"5.."}[5m]))', 5 / 60],
    ['sum(rate(jobs_total{code=~"5"}[5m]))', 0],
    ['histogram_quantile(0.4, sum by (le) (rate(rpc_seconds_bucket[15m])))', 0.08],
  ])('%s', async (text, value) => {
    const shown = shownFor(text);
    if (shown === undefined) throw new Error('shows no OQL');
    const { rows } = await engine.ask(shown);
    expect(Number(rows[0]?.at(-1) ?? 0)).toBeCloseTo(value, 6);
  });
  test('of each group', async () => {
    const shown = shownFor('topk(1, sum by (queue) (rate(jobs_total[5m])))') ?? '';
    expect((await engine.ask(shown)).rows.map(([queue]) => queue)).toEqual(['a']);
  });
});

describe('shows no OQL that gives another answer', () => {
  test.each([
    // Refers to the last point of each series; a window has many points.
    ['sum(load1)'],
    ['max by (host) (load1)'],
    // Computed for each series separately.
    ['histogram_quantile(0.9, rate(rpc_seconds_bucket[5m]))'],
    ['histogram_quantile(0.9, avg by (le) (rate(rpc_seconds_bucket[5m])))'],
    ['histogram_quantile(0.9, sum(rate(rpc_seconds_bucket[5m])))'],
    // The pattern may match an empty string, and a missing label is one.
    ['sum(rate(jobs_total{code=~"(5..)?"}[5m]))'],
    ['rate({app="a"}[1m])'],
    ['SELECT count(*) FROM logs WHERE NOT user.id = 1'],
    ['SELECT count(*) FROM logs WHERE user.id = NULL'],
    ['SELECT service, count(*) FROM logs GROUP BY 1'],
    ['SELECT count(*) FROM logs WHERE nosuchfunction(body) = 1'],
    // The number has no unit.
    ['SELECT count(*) FROM spans WHERE duration_ms > 5'],
  ])('%s', (text) => {
    expect(shownFor(text)).toBeUndefined();
    expect(validate(text).diagnostics[0]?.code).toBe('OQL-2006');
  });
});
