import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCompiler } from '../../../platform/gateway/index.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import type { QueryService } from '../../telemetry/query/index.ts';
import { createDashboardData, type DataRequest } from './data.ts';

interface Line {
  readonly panel: string;
  readonly rows?: unknown[][];
  readonly error?: { readonly code: string; readonly status: number };
  readonly meta?: Record<string, unknown>;
}

const place = { x: 0, y: 0, w: 12, h: 8 };
const panel = (id: string, query: string) => ({
  ...place,
  id,
  type: 'table' as const,
  title: '',
  description: '',
  query,
});

const compiler = createCompiler({ budgetMs: 60_000 });
afterAll(() => compiler.stop());

/** A service of queries that records what it is asked. */
function recorded(run: (query: string) => Promise<unknown[][]> = async () => [[1]]) {
  const asked: string[] = [];
  const queries: Pick<QueryService, 'run'> = {
    async run(_scope, { query }) {
      asked.push(query);
      return {
        data: { columns: [{ name: 'n', type: 'int' }], rows: (await run(query)) as [[]], kind: 'scalar' },
        meta: {},
      };
    },
  };
  const data = createDashboardData({
    queries,
    compiler,
    clock: { now: () => 1_700_000_000_000 },
    log: { error() {} },
    limits: { rows: 10, atOnce: 2 },
  });
  return { asked, data };
}

const workspace = { id: 'w', number: 1, slug: 'w', name: 'W' };
async function linesOf(
  data: ReturnType<typeof recorded>['data'],
  request: Partial<DataRequest>,
  signal = new AbortController().signal,
): Promise<Line[]> {
  const asked = { panels: [], definitions: [], variables: {}, requestId: 'r', ...request };
  let text = '';
  for await (const chunk of data.lines({ workspace, project: undefined, environment: undefined }, asked, signal))
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

describe('the data of panels', () => {
  it('asks equal queries once', async () => {
    const { asked, data } = recorded();
    const lines = await linesOf(data, { panels: [panel('a', 'spans | count'), panel('b', 'spans | count')] });
    expect(asked).toEqual(['spans | count']);
    expect(lines.map(({ panel }) => panel).sort()).toEqual(['a', 'b']);
  });

  it('asks each query of a panel in PromQL, with the values of variables, and names the series', async () => {
    const { asked, data } = recorded(async (query) => [[query.length]]);
    const promql = {
      ...panel('a', 'rate(a{job="$job"}[$__rate_interval])'),
      ...{ type: 'time_series' as const, query_language: 'promql' as const, more_queries: [{ query: 'b' }] },
    };
    const definitions = [{ name: 'job', type: 'list' as const, values: ['x'], default: 'x' }];
    const [line] = await linesOf(data, { panels: [promql], definitions });
    expect(asked).toEqual(['rate(a{job="x"}[4m])', 'b']);
    expect(line).toMatchObject({ panel: 'a', meta: { query: 'rate(a{job="x"}[4m])', query_language: 'promql' } });
    expect(line?.rows).toHaveLength(2);
  });

  it('does not split a panel in PromQL', async () => {
    const split = { ...panel('a', 'up'), query_language: 'promql' as const, split: { flag: 'f' } };
    const [line] = await linesOf(recorded().data, { panels: [split] });
    expect(line?.error?.code).toBe('SVC-7202');
  });

  it('asks a few panels at once, so that a dashboard is one guest', async () => {
    let running = 0;
    let most = 0;
    const { data } = recorded(async () => {
      running++;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return [[1]];
    });
    const panels = Array.from({ length: 20 }, (_, at) => panel(`p${at}`, `spans | limit ${at + 1}`));
    expect(await linesOf(data, { panels })).toHaveLength(20);
    expect(most).toBe(2);
  });

  it('answers the other panels when one fails', async () => {
    const { data } = recorded(async (query) => {
      if (query.includes('bad')) throw new Error('a defect');
      return [[7]];
    });
    const lines = await linesOf(data, { panels: [panel('a', 'spans | bad'), panel('b', 'spans | count')] });
    const by = Object.fromEntries(lines.map((line) => [line.panel, line]));
    expect(by.a?.error).toMatchObject({ code: 'SVC-1000', status: 500 });
    expect(by.b?.rows).toEqual([[7]]);
  });

  it('ends when the client leaves', async () => {
    const left = new AbortController();
    const { data } = recorded(async () => {
      left.abort(new Error('left'));
      throw new Error('aborted');
    });
    await expect(linesOf(data, { panels: [panel('a', 'spans')] }, left.signal)).rejects.toThrow('left');
  });

  it('skips panels without a query, and reports a variable that does not fit', async () => {
    const { asked, data } = recorded();
    const lines = await linesOf(data, {
      panels: [panel('empty', ''), panel('a', 'spans | extend a = $v')],
      definitions: [{ name: 'v', type: 'list', values: ['x', 'y'], multi: true, default: ['x', 'y'] }],
    });
    expect(asked).toEqual([]);
    expect(lines).toMatchObject([{ panel: 'a', error: { code: 'SVC-7102', status: 422 } }]);
  });

  const flag = (multi = false) => ({ name: 'flag', type: 'flag' as const, multi });
  it.each<[string, string, string | string[] | undefined, string, object]>([
    ['a flag', 'new-checkout', undefined, 'spans | count', { split: 'variant' }],
    ['the flag of a variable', '$flag', 'new-checkout', 'spans | count', { split: 'variant' }],
    ['a query with its own variant', 'new-checkout', undefined, 'spans | count by variant', { split: 'flag_variant' }],
    ['no flag while the variable has no value', '$flag', undefined, 'spans | count', { query: 'spans | count' }],
  ])('splits a panel by %s', async (_, split, value, query, meta) => {
    const { asked, data } = recorded();
    const panels = [{ ...panel('a', query), split: { flag: split } }];
    const lines = await linesOf(data, {
      panels,
      definitions: [flag()],
      variables: value === undefined ? {} : { flag: value },
    });
    expect(lines).toMatchObject([{ panel: 'a', meta }]);
    expect(asked[0]?.includes('flags "new-checkout"')).toBe('split' in meta);
  });

  it.each<[string, string, string | string[], string]>([
    ['a metric', 'new-checkout', '', 'metric http.server.request.count | sum'],
    ['a long query', 'new-checkout', '', `spans | where name == "${'x'.repeat(16_384)}"`],
    ['several flags', '$flag', ['a', 'b'], 'spans | count'],
    ['a variable that does not exist', '$other', '', 'spans | count'],
    ['a value that is no key of a flag', '$flag', `x" | $\{flag}`, 'spans | count'],
  ])('reports that it cannot split by %s', async (_, split, value, query) => {
    const { asked, data } = recorded();
    const panels = [{ ...panel('a', query), split: { flag: split } }, panel('b', 'logs | count')];
    const lines = await linesOf(data, { panels, definitions: [flag(true)], variables: { flag: value } });
    expect(lines).toMatchObject([{ panel: 'a', error: { code: 'SVC-7202', status: 422 } }, { panel: 'b' }]);
    expect(asked).toEqual(['logs | count']);
  });
});

describe('the data of a dashboard', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  let eve: TelemetryTenant;
  beforeAll(async () => {
    world = await startTelemetryWorld();
    ({ ada, eve } = world);
    const spans = (service: string, count: number) => ({
      resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
      scopeSpans: [
        {
          spans: Array.from({ length: count }, (_, at) => ({
            traceId: randomBytes(16).toString('hex'),
            spanId: randomBytes(8).toString('hex'),
            name: 'GET /cart',
            startTimeUnixNano: String(BigInt(Date.now() - 60_000) * 1_000_000n),
            endTimeUnixNano: String(BigInt(Date.now() - 60_000 + at) * 1_000_000n),
          })),
        },
      ],
    });
    await ada.ingest('traces', { resourceSpans: [spans('cart', 2), spans('checkout', 3)] });
    await ada.counted('spans | count', 5);
  });
  afterAll(() => world?.stop());

  const path = () => `${ada.workspace}/dashboards`;
  const variables = [
    { name: 'service', type: 'query', query: 'spans | count by service.name | fields service.name', default: 'cart' },
  ];
  const panels = [
    panel('n', 'spans | where service.name == $service | stats n=count()'),
    panel('broken', 'spans | wher'),
    { ...place, id: 'text', type: 'text', text: 'No query' },
  ];
  async function dataOf(body: object, headers: Record<string, string> = {}): Promise<Record<string, Line>> {
    const { data } = await ada.post(path(), { name: 'Shop', panels, variables });
    const answer = await ada.post(`${path()}/${data.id}/data`, body, headers);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    const lines: Line[] = answer.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return Object.fromEntries(lines.map((line) => [line.panel, line]));
  }

  it('is a line per panel with a query, also for one that fails', async () => {
    const by = await dataOf({ from: 'now-1h', to: 'now' });
    expect(Object.keys(by).sort()).toEqual(['broken', 'n']);
    expect(by.n).toMatchObject({ rows: [[2]], meta: { truncated: false } });
    expect(by.broken?.error).toMatchObject({ code: 'SVC-5001', status: 422 });
  });

  it.each([
    ['a chosen value', 'checkout', 3],
    ['several', ['cart', 'checkout'], 5],
    ['all', '$__all', 5],
    ['an unknown service', 'nobody', 0],
  ])('takes %s of a variable', async (_, service, count) => {
    expect((await dataOf({ variables: { service, unknown: 'ignored' } })).n?.rows).toEqual([[count]]);
  });

  it('shows the variants of a flag apart, each row once', async () => {
    // Before the window of the other tests.
    const at = Date.now() - 10_800_000;
    const traces = ['on', 'on', 'off', 'both', 'none'].map((saw) => ({
      saw,
      trace_id: randomBytes(8).toString('hex'),
    }));
    const placeOfRow = { ...ada.numbers, environment: 'production', retention_days: 30 };
    const timeOf = (ms: number) => new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
    const row = { ...placeOfRow, time: timeOf(at) };
    await world.insert(
      'spans',
      traces.flatMap(({ trace_id }) =>
        // Two spans in each trace.
        ['1', '2'].map((span) => ({
          ...row,
          service: 'split',
          name: 'POST /buy',
          trace_id,
          span_id: span.padEnd(8, '0'),
        })),
      ),
    );
    await world.insert(
      'flag_events',
      traces.flatMap(({ saw, trace_id }) => {
        const variants = saw === 'none' ? [] : saw === 'both' ? ['on', 'off'] : [saw, saw];
        return variants.map((variant) => ({
          ...row,
          flag: 'new-buy',
          variant,
          reason: 'split',
          version: '1',
          unit: 'u',
          trace_id,
          source: 'otlp',
          evaluations: 1,
        }));
      }),
    );
    const split = {
      ...panel('a', 'spans | where service.name == "split" | stats n=count()'),
      split: { flag: 'new-buy' },
    };
    const answer = await ada.post(`${path()}/preview`, { panels: [split], from: at - 60_000, to: at + 60_000 });
    const { rows, meta } = JSON.parse(answer.text);
    expect(new Map(rows)).toEqual(
      new Map([
        ['on', 4],
        ['off', 2],
        ['several variants', 2],
      ]),
    );
    expect(meta.split).toBe('variant');
    const foreign = await eve.post(`${path()}/preview`, { panels: [split], from: at - 60_000, to: at + 60_000 });
    expect(JSON.parse(foreign.text).rows ?? []).toEqual([]);
  });

  it('is limited to the panels that are asked for', async () => {
    expect(Object.keys(await dataOf({ panels: ['broken', 'gone'] }))).toEqual(['broken']);
  });

  it('is shared within a step of the window, and computed again with no-cache', async () => {
    const body = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', panels: ['n'] };
    await dataOf(body);
    expect((await dataOf(body)).n?.meta).toHaveProperty('age_ms');
    expect((await dataOf(body, { 'cache-control': 'no-cache' })).n?.meta).not.toHaveProperty('age_ms');
  });

  it('is refused as a whole for a window that is wrong', async () => {
    const { data } = await ada.post(path(), { name: 'Shop', panels });
    const answer = await ada.post(`${path()}/${data.id}/data`, { from: 'now', to: 'now-1h' });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'SVC-5006']);
  });

  it('is previewed for panels that are not saved, in one project', async () => {
    const body = { panels: [panel('n', 'spans | stats n=count()')], project: 'default' };
    const answer = await ada.post(`${path()}/preview`, body);
    expect(JSON.parse(answer.text)).toMatchObject({ panel: 'n', rows: [[5]] });
    const foreign = await ada.post(`${path()}/preview`, { ...body, project: eve.projectId });
    expect(foreign.status).toBe(404);
    expect(JSON.parse((await eve.post(`${eve.workspace}/dashboards/preview`, body)).text).rows).toEqual([[0]]);
  });

  it('narrows to the project and environment of variables', async () => {
    const definitions = [
      { name: 'p', type: 'project' },
      { name: 'e', type: 'environment' },
    ];
    const body = { panels: [panel('n', 'spans | stats n=count()')], definitions };
    const ask = (values: object) => ada.post(`${path()}/preview`, { ...body, variables: values });
    expect(JSON.parse((await ask({ p: 'default' })).text).rows).toEqual([[5]]);
    expect(JSON.parse((await ask({ p: 'default', e: 'development' })).text).rows).toEqual([[0]]);
    expect((await ask({ p: 'nobody' })).status).toBe(404);
  });

  it('offers the values of variables', async () => {
    const definitions = [
      ...variables,
      { name: 'name', type: 'query', query: 'spans | where service.name == $service | count by name | fields name' },
      { name: 'list', type: 'list', values: ['a', 1, true] },
      { name: 'project', type: 'project' },
      { name: 'environment', type: 'environment' },
      { name: 'flag', type: 'flag' },
      { name: 'wrong', type: 'query', query: 'spans | wher' },
    ];
    await ada.post(`${ada.project}/flags`, { key: 'new-cart', name: 'New cart', kind: 'boolean' });
    const answer = await ada.post(`${path()}/variables`, { definitions, variables: { service: 'cart' } });
    const options = Object.fromEntries(
      answer.data.variables.map((one: { name: string; options: unknown[] }) => [one.name, one.options]),
    );
    expect(options).toEqual({
      service: expect.arrayContaining(['cart', 'checkout']),
      name: ['GET /cart'],
      list: ['a', 1, true],
      project: ['default'],
      environment: ['development', 'production'],
      flag: ['new-cart'],
      wrong: [],
    });
    expect(answer.data.variables.at(-1).error).toMatchObject({ code: 'SVC-5001' });
    const loop = { name: 'a', type: 'query', query: 'spans | where b == $a' };
    const refused = await ada.post(`${path()}/variables`, { definitions: [loop] });
    expect([refused.status, refused.json.error.code]).toEqual([422, 'SVC-7100']);
  });
});
