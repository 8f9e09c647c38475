import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logsRequest, metricsRequest, nanos, text } from '../../../../../telemetry/src/testing/otlp.ts';
import { startTelemetryWorld, type TelemetryTenant, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { testClient } from '../../../testing/test-client.ts';

const door = '/prometheus/api/v1';
const now = Math.floor(Date.now() / 1000) * 1000;

interface SpanOf {
  readonly id: number;
  readonly parent?: number;
  readonly kind: number;
  readonly seconds: number;
  readonly isFailed?: boolean;
  readonly attributes?: Record<string, string>;
}

/** Spans of one trace, a minute ago. */
function spansOf(service: string, spans: readonly SpanOf[]) {
  return {
    resource: { attributes: [text('service.name', service)] },
    scopeSpans: [
      {
        spans: spans.map(({ id, parent, kind, seconds, isFailed, attributes = {} }) => ({
          ...{ traceId: '1'.padStart(32, '0'), spanId: `${id}`.padStart(16, '0'), name: 'GET /cart', kind },
          ...(parent !== undefined && { parentSpanId: `${parent}`.padStart(16, '0') }),
          startTimeUnixNano: nanos(now - 60_000),
          endTimeUnixNano: nanos(now - 60_000 + seconds * 1_000),
          status: isFailed ? { code: 2 } : {},
          attributes: Object.entries(attributes).map(([key, value]) => text(key, value)),
        })),
      },
    ],
  };
}

const [server, client, producer, consumer] = [2, 3, 4, 5];

describe('metrics that are made of other telemetry', () => {
  let world: TelemetryWorld;
  let ada: TelemetryTenant;
  let token: string;

  beforeAll(async () => {
    world = await startTelemetryWorld();
    ada = world.ada;
    token = await ada.token(['telemetry:query']);
    await ada.ingest('traces', {
      resourceSpans: [
        spansOf('web', [
          { id: 1, kind: server, seconds: 3, isFailed: true },
          { id: 2, parent: 1, kind: client, seconds: 0.5 },
          { id: 3, parent: 1, kind: client, seconds: 2, isFailed: true },
          { id: 4, parent: 1, kind: client, seconds: 0.3, attributes: { 'server.address': 'mail.test' } },
          { id: 5, parent: 1, kind: producer, seconds: 0.1, attributes: queue },
        ]),
        spansOf('cart', [
          { id: 6, parent: 2, kind: server, seconds: 0.3 },
          { id: 7, parent: 3, kind: server, seconds: 1.5 },
          {
            id: 8,
            parent: 6,
            kind: client,
            seconds: 0.1,
            attributes: { 'db.system.name': 'postgresql', 'db.namespace': 'c' },
          },
        ]),
        spansOf('mailer', [{ id: 9, parent: 5, kind: consumer, seconds: 0.2, attributes: queue }]),
      ],
    });
    const point = (ago: number) => ({ timeUnixNano: nanos(now - ago), asDouble: 1 });
    const resource = [
      'service.namespace shop',
      'service.name cart',
      'service.instance.id a1',
      'k8s.pod.name p1',
      'host.name h',
    ];
    const gauge = { name: 'load', gauge: { dataPoints: [point(300_000), point(60_000)] } };
    await ada.ingest(
      'metrics',
      metricsRequest(
        [gauge],
        resource.map((pair) => text(...(pair.split(' ') as [string, string]))),
      ),
    );
    const evaluation = (variant: string, unit: string) => ({
      ...{ timeUnixNano: nanos(now - 60_000), eventName: 'feature_flag.evaluation' },
      attributes: [
        ...[text('feature_flag.key', 'checkout'), text('feature_flag.result.variant', variant)],
        ...[text('feature_flag.result.reason', 'split'), text('feature_flag.context.id', unit)],
      ],
    });
    await ada.ingest('logs', logsRequest([evaluation('on', 'u1'), evaluation('on', 'u2'), evaluation('off', 'u3')]));
    await ada.counted('spans | stats n=count()', 9);
    await ada.counted('metric load | stats n=count()', 2);
    await ada.counted('flags "checkout" | stats n=count()', 3);
  }, 120_000);
  afterAll(() => world?.stop());

  const queue = { 'messaging.system': 'kafka', 'messaging.destination.name': 'orders' };
  const get = async (path: string, query: Record<string, string> = {}, bearer = token) =>
    (await testClient(world.base, { bearer }).get(`${door}/${path}?${new URLSearchParams(query)}`)).json;
  const ask = async (query: string): Promise<{ metric: Record<string, string>; value: [number, string] }[]> =>
    (await get('query', { query, time: String(now / 1000 + 15) })).data.result;
  const textsOf = async (query: string) => (await ask(query)).map(({ value }) => value[1]);

  it('count spans under the names of Tempo', async () => {
    const calls = await ask('sum by (service, span_kind) (traces_spanmetrics_calls_total{service=~"ca.t"})');
    expect(calls.map(({ metric, value }) => [metric.span_kind, value[1]]).toSorted()).toEqual([
      ['SPAN_KIND_CLIENT', '1'],
      ['SPAN_KIND_SERVER', '2'],
    ]);
    expect(await textsOf('sum(traces_spanmetrics_calls_total{status_code="STATUS_CODE_ERROR", other=""})')).toEqual([
      '2',
    ]);
    expect(await textsOf('sum(traces_spanmetrics_latency_bucket{le="0.128"})')).toEqual(['2']);
    expect(await textsOf('sum(traces_spanmetrics_latency_sum{service="mailer"})')).toEqual(['0.2']);
  });

  it('count the calls between services, as the service graph of Grafana asks for them', async () => {
    const calls = await ask('sum by (client, server, connection_type) (traces_service_graph_request_total)');
    const shown = calls.map(({ metric, value }) =>
      [metric.client, metric.server, metric.connection_type ?? '', value[1]].join(' '),
    );
    expect(shown.toSorted()).toEqual([
      'cart postgresql/c database 1',
      'kafka/orders mailer messaging_system 1',
      'user web virtual_node 1',
      'web cart  2',
      'web kafka/orders messaging_system 1',
      'web mail.test virtual_node 1',
    ]);
    const ofCart = '{client="web",server="cart"}';
    expect(await textsOf(`traces_service_graph_request_failed_total${ofCart}`)).toEqual(['1']);
    expect(await textsOf(`traces_service_graph_request_server_seconds_sum${ofCart}`)).toEqual(['1.8']);
    expect(await textsOf(`traces_service_graph_request_client_seconds_sum${ofCart}`)).toEqual(['2.5']);
    expect(await textsOf('traces_service_graph_request_server_seconds_bucket{server="cart",le="0.4"}')).toEqual(['1']);
    expect(await textsOf('traces_service_graph_request_client_seconds_count{client="user"}')).toEqual([]);
    const p90 =
      'histogram_quantile(.9, sum(rate(traces_service_graph_request_server_seconds_bucket{server=~"cart"}[5m])) by (le, client, server))';
    expect(Number((await textsOf(p90))[0])).toBeGreaterThan(0.8);
  });

  it('count evaluations of flags', async () => {
    const variants = await ask(
      'sum by (flag, variant, reason) (fanion_flag_evaluations_total{environment="production"})',
    );
    expect(
      variants.map(({ metric, value }) => [metric.flag, metric.variant, metric.reason, value[1]]).toSorted(),
    ).toEqual([
      ['checkout', 'off', 'split', '1'],
      ['checkout', 'on', 'split', '2'],
    ]);
    expect(await textsOf('fanion_flag_evaluations_total{variant!~"o.+"}')).toEqual([]);
  });

  it('have the attributes of resources in target_info, to be joined', async () => {
    const [info, ...others] = await ask('target_info{host_name="h"}');
    expect(others).toEqual([]);
    expect(info).toEqual({
      metric: { __name__: 'target_info', job: 'shop/cart', instance: 'a1', host_name: 'h', k8s_pod_name: 'p1' },
      value: [now / 1000 + 15, '1'],
    });
    const joined = await ask('load * on (job, instance) group_left (k8s_pod_name) target_info');
    expect(joined.map(({ metric }) => metric.k8s_pod_name)).toEqual(['p1']);
    const window = { start: String(now / 1000 - 900), end: String(now / 1000), step: '15' };
    const { data } = await get('query_range', { query: 'count_over_time(target_info[15s])', ...window });
    expect(data.result[0].values).toHaveLength(2);
  });

  it('are listed where there is what they are made of', async () => {
    const names = (await get('label/__name__/values')).data;
    expect(names).toEqual(
      expect.arrayContaining(['traces_service_graph_request_total', 'traces_spanmetrics_calls_total']),
    );
    expect(names).not.toContain('ALERTS');
    const byRegex = { 'match[]': '{__name__=~"traces_service_graph_request_client_.*"}' };
    expect((await get('label/__name__/values', byRegex)).data).toHaveLength(3);
    const series = { 'match[]': 'traces_service_graph_request_total{connection_type="database"}' };
    expect((await get('series', series)).data).toEqual([
      {
        __name__: 'traces_service_graph_request_total',
        client: 'cart',
        server: 'postgresql/c',
        connection_type: 'database',
      },
    ]);
    expect(
      (await get('label/server/values', { 'match[]': 'traces_service_graph_request_total{client="web"}' })).data,
    ).toEqual([...['cart', 'kafka/orders', 'mail.test']]);
    const { data } = await get('metadata');
    expect(data.traces_service_graph_request_server_seconds).toMatchObject([{ type: 'histogram', unit: 'seconds' }]);
  });

  it('are made of the telemetry of the caller alone', async () => {
    const eve = await world.eve.token(['telemetry:query']);
    const query = { query: 'traces_service_graph_request_total', time: String(now / 1000 + 15) };
    expect((await get('query', query, eve)).data.result).toEqual([]);
    expect((await get('label/__name__/values', {}, eve)).data).toEqual([]);
  });
});
