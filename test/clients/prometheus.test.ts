import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../packages/server/src/testing/test-client.ts';
import { freePort } from '../support/server-process.ts';
import { type ClientWorld, outputOf, startClientWorld } from './support.ts';

/** `FANION_TEST_PROMETHEUS`: a Prometheus other than the one in the path, for example a newer one. */
const program = process.env.FANION_TEST_PROMETHEUS ?? 'prometheus';
const banner = outputOf(program, ['--version'], `${program} is not installed; set FANION_TEST_PROMETHEUS`);
const [, major = 0, minor = 0] = /version (\d+)\.(\d+)/.exec(banner ?? '')?.map(Number) ?? [];
/** Since 2.54 as an experiment, since 3.0 by configuration alone. */
const knowsVersion2 = major > 2 || (major === 2 && minor >= 54);
if (banner !== undefined && !knowsVersion2)
  console.log(`skipped: Prometheus ${major}.${minor} does not know remote write 2.0; set FANION_TEST_PROMETHEUS`);

describe.skipIf(banner === undefined)('Prometheus, which scrapes itself and writes here', () => {
  let world: ClientWorld;
  const directory = mkdtempSync(join(tmpdir(), 'fanion-prometheus-'));
  const running: ChildProcess[] = [];
  beforeAll(async () => {
    world = await startClientWorld();
  });
  afterAll(async () => {
    for (const child of running) {
      const exited = once(child, 'exit');
      if (child.kill('SIGKILL')) await exited;
    }
    await world?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it.each([
    ['1.0', []],
    ...(knowsVersion2 ? [['2.0', ['    protobuf_message: io.prometheus.write.v2.Request']] as const] : []),
  ] as const)('remote write %s', async (version, more) => {
    const port = await freePort();
    const job = `prometheus-${version}`;
    const config = join(directory, `${version}.yml`);
    // As in docs/guides/opentelemetry.md.
    writeFileSync(
      config,
      [
        'global:',
        '  scrape_interval: 1s',
        'scrape_configs:',
        `  - job_name: ${job}`,
        '    static_configs:',
        `      - targets: ['127.0.0.1:${port}']`,
        'remote_write:',
        `  - url: ${world.base}/prometheus/api/v1/write`,
        ...more,
        '    send_native_histograms: true',
        '    send_exemplars: true',
        '    metadata_config:',
        '      send_interval: 1s',
        '    authorization:',
        `      credentials: ${world.token}`,
        '',
      ].join('\n'),
    );
    const child = spawn(
      program,
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(directory, version)}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--enable-feature=native-histograms,exemplar-storage',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    running.push(child);
    let log = '';
    child.stderr.on('data', (chunk) => {
      log += chunk;
    });
    const of = `where service.name == "${job}"`;
    const count = (query: string) => world.one(`${query} | stats n=count()`).then(Number);
    await until(async () => (await count(`metric up | ${of} and value == 1`)) >= 3, 50_000).catch((error: unknown) => {
      throw new Error(`${error}: ${log.slice(-2000)}`);
    });
    // A counter, recognized by its metadata or its name, and a classic histogram, which consists of counters.
    await until(
      async () => (await count(`metric prometheus_tsdb_head_samples_appended_total | ${of} and kind == sum`)) > 0,
    );
    await until(async () => (await count(`metric prometheus_http_request_duration_seconds_bucket | ${of}`)) > 0);
    // Prometheus counts failed deliveries.
    const own = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(own).toMatch(/prometheus_remote_storage_samples_failed_total\{[^}]*\} 0/);
    expect(log).not.toMatch(/non-recoverable|server returned HTTP status 4/);
  });
});
