import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { until } from '../../packages/server/src/testing/test-client.ts';
import { logs, traces } from '../faults/support/endpoints.ts';
import { freePort } from '../support/server-process.ts';
import { type ClientWorld, outputOf, startClientWorld } from './support.ts';

/**
 * `FANION_TEST_COLLECTOR`: an OpenTelemetry Collector with the receiver otlp, the processor batch and the exporters
 * otlp and otlphttp. `cd test/clients/collector && go build -o /tmp/collector .` builds one in a few minutes.
 */
const program = process.env.FANION_TEST_COLLECTOR ?? 'otelcol';
const isThere = outputOf(program, ['--version'], `${program} is not there; set FANION_TEST_COLLECTOR`) !== undefined;

const guide = readFileSync(new URL('../../docs/guides/opentelemetry.md', import.meta.url), 'utf8');
const [, documented = ''] = /## The Collector\n\n```yaml\n([\s\S]*?)```/.exec(guide) ?? [];

describe.skipIf(!isThere)("an OpenTelemetry Collector with the guide's configuration", () => {
  let world: ClientWorld;
  const directory = mkdtempSync(join(tmpdir(), 'fanion-collector-'));
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

  it.each(['otlphttp', 'otlp'])('forwards the data that it receives, with its exporter %s', async (exporter) => {
    const port = await freePort();
    let config = documented
      .replace('      grpc:\n      http:\n', `      http:\n        endpoint: 127.0.0.1:${port}\n`)
      .replace('http://127.0.0.1:8080', world.base)
      .replace('service:\n', 'service:\n  telemetry:\n    metrics:\n      level: none\n');
    // The guide's instructions for gRPC, below the configuration.
    if (exporter === 'otlp')
      config = config
        .replaceAll('otlphttp', 'otlp')
        .replace(world.base, `127.0.0.1:${world.grpcPort}\n    tls: { insecure: true }`);
    const file = join(directory, `${exporter}.yaml`);
    writeFileSync(file, config);
    const child = spawn(program, ['--config', file], {
      env: { ...process.env, FANION_TOKEN: world.token },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.push(child);
    let log = '';
    child.stderr.on('data', (chunk) => {
      log += chunk;
    });
    const times = Array.from({ length: 50 }, (_, i) => Date.now() - 1000 - i);
    const batch = `through ${exporter}`;
    const send = (path: string, body: object) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }).then(
        (response) => response.ok,
        () => false,
      );
    await until(() => send('/v1/traces', traces(batch, times)), 30_000).catch((error: unknown) => {
      throw new Error(`${error}: ${log.slice(-2000)}`);
    });
    await until(() => send('/v1/logs', logs(batch, times)));
    await world.gives(`spans | where batch == "${batch}" | stats n=count()`, 50);
    await world.gives(`logs | where batch == "${batch}" | stats n=count()`, 50);
  });
});
