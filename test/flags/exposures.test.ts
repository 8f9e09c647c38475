import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature } from '@openfeature/server-sdk';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FanionProvider } from '../../packages/sdk/src/index.ts';
import { type SignedUp, signUp, stored, until } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer, type TestServer } from '../../packages/server/src/testing/test-server.ts';
import { flagsOf, half } from './support.ts';

/** The stock OpenTelemetry SDK and a provider in a service; `flags "…"` queries the evaluations. */
describe('exposures of a service', () => {
  let server: TestServer;
  let user: SignedUp;
  let sdkKey: string;
  let loggers: LoggerProvider;
  let tracers: BasicTracerProvider;

  beforeAll(async () => {
    server = await startTestServer();
    user = await signUp(server.base, 'exposures');
    sdkKey = await user.sdkKey();
    const headers = { authorization: `Bearer ${await user.token(['telemetry:ingest'])}` };
    const resource = resourceFromAttributes({ 'service.name': 'shop', 'deployment.environment.name': 'production' });
    const logExporter = new OTLPLogExporter({ url: `${server.base}/v1/logs`, headers });
    loggers = new LoggerProvider({ resource, processors: [new SimpleLogRecordProcessor({ exporter: logExporter })] });
    const spanExporter = new OTLPTraceExporter({ url: `${server.base}/v1/traces`, headers });
    tracers = new BasicTracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor(spanExporter)] });
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  });
  afterAll(async () => {
    await OpenFeature.clearProviders();
    await loggers?.shutdown();
    await tracers?.shutdown();
    context.disable();
    await server?.stop();
  });

  const rows = async (query: string) => {
    const answer = await user.post(`${user.workspace}/query`, {
      query,
      environment: 'production',
      from: 'now-1h',
      to: 'now+1h',
    });
    expect(answer.status, answer.text).toBe(200);
    return answer.data.rows as unknown[][];
  };
  const eventually = async (query: string, wanted: unknown[][]) => {
    let last: unknown[][] = [];
    await until(async () => {
      last = await rows(query);
      return JSON.stringify(last) === JSON.stringify(wanted);
    }).catch(() => expect(last).toEqual(wanted));
  };
  /** A request of the service in its own trace; it fails for units with the new checkout. */
  const request = async (unit: string) => {
    const span = tracers.getTracer('shop').startSpan('GET /checkout');
    return context.with(trace.setSpan(context.active(), span), async () => {
      const isNew = await OpenFeature.getClient().getBooleanValue('checkout-v2', false, { targetingKey: unit });
      if (isNew) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
      return { isNew, traceId: span.spanContext().traceId };
    });
  };

  it('SDK for Node → OTLP → flags "checkout-v2", with the outcome of the requests by variant', async () => {
    const flags = flagsOf(user);
    await flags.create('checkout-v2');
    await flags.serve('checkout-v2', { fallthrough: { rollout: { weights: half } } });
    const exposures = { logger: loggers.getLogger('fanion') };
    await OpenFeature.setProviderAndWait(new FanionProvider({ endpoint: server.base, sdkKey, exposures }));
    const results = [];
    for (let i = 0; i < 30; i++) results.push(await request(`user-${i}`));
    await loggers.forceFlush();
    await tracers.forceFlush();
    const treated = results.filter(({ isNew }) => isNew).length;
    expect(treated).toBeGreaterThan(0);
    expect(treated).toBeLessThan(30);

    await eventually(
      'flags "checkout-v2" | stats n=count(), units=count_distinct(unit), errors=ratio(span.status == error) by variant',
      [
        ['false', 30 - treated, 30 - treated, 0],
        ['true', treated, treated, 1],
      ],
    );
    await eventually('flags "checkout-v2" | stats n=count() by source, service.name, version', [
      ['otlp', 'shop', '2', 30],
    ]);

    await stored(server.base);
    const one = results.find(({ isNew }) => isNew);
    const found = await user.get(`${user.workspace}/traces/${one?.traceId}?include=flags`);
    expect(found.data.flags).toMatchObject([{ flag: 'checkout-v2', variant: 'true', source: 'otlp', service: 'shop' }]);
    await until(async () => {
      const { environments } = (await user.get(`${user.project}/flags/checkout-v2`)).data;
      return environments.some(({ last_evaluated_at }: { last_evaluated_at: string | null }) => last_evaluated_at);
    });
  });

  it('counts an OFREP evaluation that a hook also reports once, as the client reported it', async () => {
    const flags = flagsOf(user);
    await flags.create('hooked');
    await flags.serve('hooked', {});
    await OpenFeature.setProviderAndWait(
      new OFREPProvider({ baseUrl: server.base, headers: [['authorization', `Bearer ${sdkKey}`]] }),
    );
    const logger = loggers.getLogger('hook');
    const client = OpenFeature.getClient();
    client.addHooks({
      after(hook, details) {
        logger.emit({
          eventName: 'feature_flag.evaluation',
          attributes: {
            'feature_flag.key': hook.flagKey,
            'feature_flag.result.variant': details.variant ?? '',
            'feature_flag.result.reason': String(details.reason).toLowerCase(),
            'feature_flag.context.id': String(hook.context.targetingKey),
            'feature_flag.version': String(details.flagMetadata.version),
          },
        });
      },
    });
    for (let i = 0; i < 10; i++) await client.getBooleanValue('hooked', false, { targetingKey: `user-${i % 4}` });
    await loggers.forceFlush();
    await eventually('flags "hooked" | stats n=count(), units=count_distinct(unit) by variant, reason, source', [
      ['true', 'default', 'otlp', 10, 4],
    ]);
  });
});
