import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testClient } from '../../packages/server/src/testing/test-client.ts';
import { metricsRequest, nanos, text } from '../../packages/telemetry/src/testing/otlp.ts';
import { type ClientWorld, outputOf, startClientWorld } from './support.ts';

const run = promisify(execFile);
const promtool = outputOf('promtool', ['--version'], 'promtool is not installed: install prometheus');
const python = process.env.FANION_TEST_PYTHON ?? 'python3';
const api = outputOf(python, ['-c', 'import prometheus_api_client'], `${python} lacks prometheus-api-client`);

describe.skipIf(promtool === undefined && api === undefined)('clients of the Prometheus API', () => {
  let world: ClientWorld;
  let token: string;
  const now = Math.floor(Date.now() / 1_000);

  beforeAll(async () => {
    world = await startClientWorld();
    token = await world.user.token(['telemetry:query']);
    const dataPoints = [60, 0].map((ago) => ({
      timeUnixNano: nanos((now - ago) * 1_000),
      asDouble: ago === 0 ? 8 : 2,
      attributes: [text('host.name', 'a')],
    }));
    const body = metricsRequest([{ name: 'queue.length', gauge: { dataPoints } }], [text('service.name', 'shop')]);
    const sent = await testClient(world.base, { bearer: world.token }).post('/v1/metrics', body);
    expect(sent.status, sent.text).toBe(200);
    await world.gives('metric queue.length | stats n=count()', 2);
  });
  afterAll(() => world?.stop());

  describe.skipIf(promtool === undefined)('promtool', () => {
    const labels = 'host_name="a", job="shop", otel_scope_name="s", otel_scope_version="1"';
    /** With the token as the password in the address of the server. */
    const query = async (command: string, options: readonly string[], ...about: string[]) => {
      const server = `${world.base.replace('://', `://fanion:${token}@`)}/prometheus`;
      return (await run('promtool', ['query', command, ...options, server, ...about])).stdout;
    };

    it('evaluates at one time and over time', async () => {
      const instant = await query('instant', [`--time=${now}`], 'queue_length * 2');
      expect(instant).toBe(`{${labels}} => 16 @[${now}]\n`);
      const range = await query('range', [`--start=${now - 60}`, `--end=${now}`, '--step=60s'], 'queue_length');
      expect(range.trim().split('\n')).toEqual([`queue_length{${labels}} =>`, `2 @[${now - 60}]`, `8 @[${now}]`]);
    });

    it('lists series and the values of a label', async () => {
      const series = await query('series', ['--match={__name__=~"queue.*"}']);
      expect(series.trim()).toBe(`{__name__="queue_length", ${labels}}`);
      expect(await query('labels', [], 'host_name')).toBe('a\n');
    });

    it('shows what is wrong with an expression', async () => {
      const failed = await query('instant', [], 'sum(').catch((error: { stderr: string }) => error.stderr);
      expect(failed).toContain('bad_data');
    });
  });

  it.skipIf(api === undefined)('prometheus-api-client lists, evaluates and reads ranges', async () => {
    const program = `
import json, sys
from datetime import datetime, timezone
from prometheus_api_client import PrometheusConnect
base, token, now = sys.argv[1], sys.argv[2], int(sys.argv[3])
prometheus = PrometheusConnect(url=base + '/prometheus', headers={'Authorization': 'Bearer ' + token})
at = lambda seconds: datetime.fromtimestamp(seconds, timezone.utc)
print(json.dumps({
  'metrics': prometheus.all_metrics(),
  'labels': prometheus.get_label_values('host_name'),
  'current': prometheus.get_current_metric_value('queue_length', label_config={'host_name': 'a'}),
  'query': prometheus.custom_query('sum(queue_length)', params={'time': now}),
  'range': prometheus.custom_query_range('queue_length', at(now - 60), at(now), '60'),
  'stored': prometheus.get_metric_range_data('queue_length', start_time=at(now - 90), end_time=at(now)),
}))`;
    const { stdout } = await run(python, ['-c', program, world.base, token, String(now)]);
    const scope = { otel_scope_name: 's', otel_scope_version: '1' };
    const metric = { __name__: 'queue_length', host_name: 'a', job: 'shop', ...scope };
    const values = [
      [now - 60, '2'],
      [now, '8'],
    ];
    expect(JSON.parse(stdout)).toEqual({
      ...{ metrics: ['queue_length'], labels: ['a'] },
      current: [{ metric, value: [expect.any(Number), '8'] }],
      query: [{ metric: {}, value: [now, '8'] }],
      range: [{ metric, values }],
      stored: [{ metric, values }],
    });
  });
});
