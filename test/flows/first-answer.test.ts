import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature } from '@openfeature/server-sdk';
import { SpanStatusCode } from '@opentelemetry/api';
import { SeverityNumber } from '@opentelemetry/api-logs';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, stored, testClient, until } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';

/** The README's five minutes, step by step, with the official clients. */
describe('from sign-up to the first answer', () => {
  let server: TestServer;
  let user: SignedUp;
  let traceId: string;

  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base, 'ada');
  });
  afterAll(() => server?.stop());

  const ask = async (query: string) => {
    const answer = await user.post(`${user.workspace}/query`, { query, from: 'now-1h', to: 'now+5m' });
    expect(answer.status, answer.text).toBe(200);
    return answer.data as { columns: { name: string; type: string }[]; rows: unknown[][]; kind: string };
  };

  it('a workspace has a project with two environments', async () => {
    const environments = await user.get(`${user.project}/environments`);
    expect(environments.data.map(({ key }: { key: string }) => key)).toEqual(['production', 'development']);
  });

  it('an OpenTelemetry program sends a trace, logs and a metric', async () => {
    const token = await user.token(['telemetry:ingest']);
    const headers = { authorization: `Bearer ${token}` };
    const resource = defaultResource().merge(
      resourceFromAttributes({ 'service.name': 'greeter', 'service.version': '1.2.3' }),
    );
    const traces = new NodeTracerProvider({
      resource,
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${server.base}/v1/traces`, headers }))],
    });
    const logs = new LoggerProvider({
      resource,
      processors: [
        new BatchLogRecordProcessor({ exporter: new OTLPLogExporter({ url: `${server.base}/v1/logs`, headers }) }),
      ],
    });
    const metrics = new MeterProvider({
      resource,
      readers: [
        new PeriodicExportingMetricReader({
          exporter: new OTLPMetricExporter({ url: `${server.base}/v1/metrics`, headers }),
        }),
      ],
    });

    const span = traces.getTracer('readme').startSpan('greet', {
      attributes: { 'user.id': 'ada', retries: 2, ratio: 0.5, cached: false, tags: ['a', 'b'] },
    });
    span.addEvent('said hello', { language: 'en' });
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'nobody there' });
    span.end();
    traceId = span.spanContext().traceId;
    logs.getLogger('readme').emit({
      severityNumber: SeverityNumber.WARN,
      severityText: 'WARN',
      body: 'nobody answered the door',
      attributes: { door: 3 },
    });
    metrics.getMeter('readme').createCounter('greetings', { unit: '{greeting}' }).add(7, { language: 'en' });
    await Promise.all([traces.forceFlush(), logs.forceFlush(), metrics.forceFlush()]);
    await Promise.all([traces.shutdown(), logs.shutdown(), metrics.shutdown()]);
  });

  it('the first-steps page reports the arrival, per signal, with service and SDK', async () => {
    const status = await until(async () => {
      const answer = await user.get(`${user.project}/telemetry-status`);
      const arrived = answer.data.signals.filter((signal: { arrived: boolean }) => signal.arrived).length;
      return arrived === 3 && answer.data;
    });
    await stored(server.base);
    const traces = status.signals.find(({ signal }: { signal: string }) => signal === 'traces');
    expect(traces).toMatchObject({ arrived: true, items: 1, services: ['greeter'] });
    expect(traces.sdks[0]).toMatchObject({ name: 'opentelemetry', language: 'nodejs' });
    const services = await user.get('/api/v1/services');
    expect(services.data).toEqual([
      expect.objectContaining({ name: 'greeter', signals: expect.arrayContaining(['traces', 'logs', 'metrics']) }),
    ]);
  });

  it('the first query returns a result', async () => {
    const { columns, rows } = await ask('spans | stats n=count(), p99=p99(duration) by service.name');
    expect(columns.map(({ name }) => name)).toEqual(['service.name', 'n', 'p99']);
    expect(rows).toEqual([['greeter', 1, expect.any(Number)]]);
    expect((await ask('logs | where severity >= warn and body has "answered" | stats n=count()')).rows).toEqual([[1]]);
    const overTime = await ask('spans | stats n=count() by bucket(5m)');
    expect(overTime).toMatchObject({
      kind: 'timeseries',
      rows: [[expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d[05]:00Z$/), 1]],
    });
    expect((await ask('metric greetings | stats total=max(value)')).rows).toEqual([[7]]);
  });

  it('the trace can be opened, with its typed attributes, its event and its status', async () => {
    const { data } = await user.get(`${user.workspace}/traces/${traceId}`);
    expect(data).toMatchObject({ trace_id: traceId, services: ['greeter'] });
    expect(data.spans).toEqual([
      expect.objectContaining({
        name: 'greet',
        parent_span_id: null,
        status: 'error',
        status_message: 'nobody there',
        attributes: { cached: false, ratio: 0.5, retries: 2, tags: ['a', 'b'], 'user.id': 'ada' },
        events: [expect.objectContaining({ name: 'said hello', attributes: { language: 'en' } })],
      }),
    ]);
    expect(data.critical_path).toEqual([data.spans[0].span_id]);
  });

  it('a flag is created, targeted, and evaluated by the stock OpenFeature provider', async () => {
    expect(
      (
        await user.post(`${user.project}/flags`, {
          key: 'new-greeting',
          name: 'New greeting',
          kind: 'string',
          variants: [
            { key: 'plain', value: 'hello' },
            { key: 'warm', value: 'dear friend' },
          ],
          off_variant: 'plain',
        })
      ).status,
    ).toBe(201);
    const path = `${user.project}/environments/production/flags/new-greeting`;
    const { data: targeting } = await user.get(path);
    const saved = await user.put(path, {
      enabled: true,
      off_variant: 'plain',
      fallthrough: { variant: 'plain' },
      targets: [],
      rules: [{ clauses: [{ attribute: 'country', op: 'in', values: ['DE'] }], variant: 'warm' }],
      version: targeting.version,
    });
    expect(saved.status, saved.text).toBe(200);

    const key = await user.sdkKey();
    await OpenFeature.setProviderAndWait(
      'first-answer',
      new OFREPProvider({ baseUrl: server.base, headers: [['Authorization', `Bearer ${key}`]] }),
    );
    const client = OpenFeature.getClient('first-answer');
    expect(await client.getStringDetails('new-greeting', 'x', { targetingKey: 'u1', country: 'DE' })).toMatchObject({
      value: 'dear friend',
      variant: 'warm',
      reason: 'TARGETING_MATCH',
    });
    expect(await client.getStringDetails('new-greeting', 'x', { targetingKey: 'u1' })).toMatchObject({
      value: 'hello',
      reason: 'DEFAULT',
    });
    expect(await client.getStringDetails('no-such-flag', 'x', { targetingKey: 'u1' })).toMatchObject({
      value: 'x',
      errorCode: 'FLAG_NOT_FOUND',
    });
    await OpenFeature.close();
  });

  it('nobody else sees any of it', async () => {
    const stranger = await signUp(server.base, 'eve');
    expect(
      (await stranger.post(`${stranger.workspace}/query`, { query: 'spans | stats n=count()', to: 'now+5m' })).data
        .rows,
    ).toEqual([[0]]);
    expect((await stranger.get(`${stranger.workspace}/traces/${traceId}`)).status).toBe(404);
    expect((await stranger.get(`${user.workspace}/traces/${traceId}`)).json.error.code).toBe('SVC-6001');
    expect((await testClient(server.base).get(`${user.workspace}/projects`)).status).toBe(401);
  });
});
