import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { int, logsRequest, nanos, text, tracesRequest } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { type TestClient, testClient, until } from '../../../testing/test-client.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${spanId}-01`;

describe('exposures', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  let sdk: TestClient;
  const now = Date.now();

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    sdk = testClient(world.base, { bearer: await ada.sdkKey() });
  });
  afterAll(() => world?.stop());

  const serve = async (key: string, change: object) => {
    const created = await ada.post(`${ada.project}/flags`, { key, name: key, kind: 'boolean' });
    expect(created.status, created.text).toBe(201);
    const path = `${ada.project}/environments/production/flags/${key}`;
    const { off_variant, version } = (await ada.get(path)).data;
    const body = { enabled: true, off_variant, fallthrough: { variant: 'true' }, targets: [], rules: [], version };
    const answer = await ada.put(path, { ...body, ...change });
    expect(answer.status, answer.text).toBe(200);
  };
  interface ListedFlag {
    key: string;
    environments: { environment: string; last_evaluated_at: string | null; serves: string; ramp: string | null }[];
  }
  const productionOf = (flags: readonly ListedFlag[], wanted: string) =>
    flags.find(({ key }) => key === wanted)?.environments.find(({ environment }) => environment === 'production');
  /** The store also has rows of other test files. */
  const own = () => `workspace = ${ada.numbers.workspace}`;
  const rows = async (sql: string, count: number) =>
    until(async () => {
      const found = await world.store.queryRows<Record<string, unknown>>(sql);
      return found.length === count ? found : undefined;
    });

  it('counts single-flag evaluations on both APIs, and none of a bulk answer', async () => {
    await serve('counted', {});
    const context = { targetingKey: 'u1' };
    for (let i = 0; i < 3; i++) {
      expect((await sdk.post('/ofrep/v1/evaluate/flags/counted', { context })).status).toBe(200);
      expect((await sdk.post('/api/v1/sdk/flags/evaluate/counted', { context })).status).toBe(200);
      await sdk.post('/ofrep/v1/evaluate/flags', { context });
      await sdk.post('/api/v1/sdk/flags/evaluate', { context });
      await sdk.post('/ofrep/v1/evaluate/flags/unknown', { context });
    }
    const [row] = await until(async () => {
      const found = await world.store.queryRows<{ n: number }>(
        `SELECT workspace, project, environment, flag, variant, reason, version, toString(source) AS source, toFloat64(sum(evaluations)) AS n
         FROM flag_evaluations WHERE ${own()} GROUP BY ALL`,
      );
      return found[0]?.n === 6 ? found : undefined;
    });
    expect(row).toEqual({
      ...ada.numbers,
      ...{ environment: 'production', flag: 'counted', variant: 'true', reason: 'default', version: '2' },
      ...{ source: 'server', n: 6 },
    });
    expect(await world.store.queryRows(`SELECT * FROM exposures WHERE ${own()}`)).toEqual([]);
  });

  it('stores tracked units once, and an evaluation in a recorded trace with that trace', async () => {
    await serve('ramped', {});
    const ramp = await ada.post(`${ada.project}/environments/production/flags/ramped/ramp`, {
      variant: 'false',
      steps: [{ weight: 50_000, hold: '1d' }],
    });
    expect(ramp.status, ramp.text).toBe(201);
    for (let i = 0; i < 4; i++)
      for (const unit of ['ada', 'eve'])
        await sdk.post('/ofrep/v1/evaluate/flags/ramped', { context: { targetingKey: unit } });
    await sdk.post('/ofrep/v1/evaluate/flags/ramped', { context: { targetingKey: 'ada' } }, { traceparent });
    const found = await until(async () => {
      const all = await world.store.queryRows<{ unit: string; n: number; kept: number }>(
        `SELECT unit, toFloat64(sum(evaluations)) AS n, toFloat64(max(tracked)) AS tracked, lower(hex(max(trace_id))) AS trace
         FROM exposures WHERE ${own()} AND flag = 'ramped' GROUP BY unit ORDER BY unit`,
      );
      return all.length === 2 && all[0]?.n === 2 ? all : undefined;
    });
    expect(found).toEqual([
      { unit: 'ada', n: 2, tracked: 1, trace: traceId },
      { unit: 'eve', n: 1, tracked: 1, trace: '0'.repeat(32) },
    ]);
    await until(async () => {
      const [sum] = await world.store.queryRows<{ n: number }>(
        `SELECT toFloat64(sum(evaluations)) AS n FROM flag_evaluations WHERE ${own()} AND flag = 'ramped'`,
      );
      return sum?.n === 9;
    });
  });

  it('shows in the list of flags the last evaluation of each and a running ramp', async () => {
    const data = await until(async () => {
      const answer = await ada.get(`${ada.project}/flags`);
      return productionOf(answer.data, 'counted')?.last_evaluated_at == null ? undefined : answer.data;
    });
    const production = (key: string) => productionOf(data, key);
    const sinceMs = now - (now % 60_000);
    expect(Date.parse(production('counted')?.last_evaluated_at ?? '')).toBeGreaterThanOrEqual(sinceMs);
    expect(production('counted')).toMatchObject({ serves: 'one', ramp: null });
    expect(production('ramped')).toMatchObject({ serves: 'split', percentage: 50, ramp: 'running' });
    // Both flags are new.
    expect(data.map(({ stale }: { stale: unknown }) => stale)).toEqual([null, null]);
    await serve('unused', {});
    expect((await ada.get(`${ada.project}/flags/unused`)).data.environments[0].last_evaluated_at).toBeNull();
  });

  it('answers flags("…") in OQL and appears with the trace', async () => {
    await ada.ingest(
      'traces',
      tracesRequest([
        {
          ...{ traceId, spanId, name: 'POST /pay', kind: 2, status: { code: 2 } },
          ...{ startTimeUnixNano: nanos(now), endTimeUnixNano: nanos(now + 5) },
        },
      ]),
    );
    await ada.counted('spans | count', 1);
    const ask = async (query: string) => {
      const { data, text } = await ada.post(`${ada.workspace}/query`, { query, environment: 'production' });
      expect(data, text).not.toBeNull();
      return data.rows;
    };
    const ramped = await ask(
      'flags "ramped" | stats n=count(), u=count_distinct(unit), bad=count(span.status == error)',
    );
    expect(ramped).toEqual([[9, 2, 1]]);
    const { data: trace } = await ada.get(`${ada.workspace}/traces/${traceId}?include=flags`);
    expect(trace.logs).toBeUndefined();
    expect(trace.flags).toMatchObject([
      { flag: 'ramped', reason: 'split', unit: 'ada', tracked: true, source: 'server', span_id: spanId, error: null },
    ]);
    const eve = await world.eve.post(`${world.eve.workspace}/query`, { query: 'flags "ramped" | count' });
    expect(eve.data.rows).toEqual([[0]]);
  });

  it('accepts log events of evaluations over OTLP, with current and former names', async () => {
    const event = (attributes: object[], more: object = {}) => ({
      timeUnixNano: nanos(now),
      traceId,
      spanId,
      attributes,
      ...more,
    });
    await ada.ingest(
      'logs',
      logsRequest([
        event(
          [
            text('feature_flag.key', 'told'),
            text('feature_flag.result.variant', 'on'),
            text('feature_flag.result.reason', 'split'),
            text('feature_flag.context.id', 'u1'),
            text('feature_flag.set.id', 'shop/staging'),
            text('feature_flag.version', '7'),
            text('feature_flag.provider.name', 'fanion'),
          ],
          { eventName: 'feature_flag.evaluation' },
        ),
        event([
          text('event.name', 'feature_flag.evaluation'),
          text('feature_flag.key', 'told'),
          text('feature_flag.variant', 'off'),
          text('feature_flag.provider_name', 'other'),
          text('feature_flag.evaluation.reason', 'STATIC'),
          int('feature_flag.version', 8),
        ]),
        event(
          [
            text('feature_flag.key', 'told'),
            text('feature_flag.result.variant', 'on'),
            text('feature_flag.result.reason', 'split'),
            text('feature_flag.context.id', 'not measured'),
            text('feature_flag.version', '9+untracked'),
          ],
          { eventName: 'feature_flag.evaluation' },
        ),
        event([text('feature_flag.key', 'told'), text('error.type', 'parse_error')], {
          eventName: 'feature_flag.evaluation',
        }),
        event([text('feature_flag.key', 'never')], { eventName: 'another.event_of_length' }),
        event([], { eventName: 'feature_flag.evaluation' }),
      ]),
    );
    const found = await rows(
      `SELECT environment, variant, reason, version, unit, tracked, lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span,
         toString(source) AS source, provider, error, toFloat64(evaluations) AS n
       FROM flag_events WHERE ${own()} AND flag IN ('told', 'never', '') ORDER BY version`,
      4,
    );
    const common = { environment: 'production', trace: traceId, span: spanId, source: 'otlp', n: 1 };
    // The environment named in the telemetry counts, not the name of the set.
    expect(found).toMatchObject([
      { variant: '', reason: '', version: '', error: 'parse_error' },
      { ...common, variant: 'on', reason: 'split', version: '7', unit: 'u1', tracked: true, provider: 'fanion' },
      { variant: 'off', reason: 'static', version: '8', unit: '', tracked: false, provider: 'other' },
      { variant: 'on', reason: 'split', version: '9', unit: 'not measured', tracked: false },
    ]);
    // A failed evaluation is not an exposure.
    expect(
      await rows(`SELECT unit, tracked FROM exposures WHERE ${own()} AND flag = 'told' ORDER BY tracked`, 2),
    ).toEqual([
      { unit: 'not measured', tracked: 0 },
      { unit: 'u1', tracked: 1 },
    ]);
  });

  it('accepts span events at their time, or at the time of the span if theirs is impossible', async () => {
    const attributes = [text('feature_flag.key', 'spanned'), text('feature_flag.result.variant', 'a')];
    const span = {
      traceId,
      spanId,
      name: 'GET /',
      startTimeUnixNano: nanos(now - 2_000),
      endTimeUnixNano: nanos(now),
      events: [
        { timeUnixNano: nanos(now - 1_000), name: 'feature_flag.evaluation', attributes },
        { timeUnixNano: '5', name: 'feature_flag', attributes },
        { timeUnixNano: nanos(now), name: 'exception', attributes },
      ],
    };
    await ada.ingest('traces', tracesRequest([span]));
    const found = await rows(
      `SELECT toString(toUnixTimestamp64Milli(time)) AS at, lower(hex(trace_id)) AS trace FROM flag_events WHERE ${own()} AND flag = 'spanned' ORDER BY time`,
      2,
    );
    expect(found).toEqual([
      { at: String(now - 2_000), trace: traceId },
      { at: String(now - 1_000), trace: traceId },
    ]);
  });
});
