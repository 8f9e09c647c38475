import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClientWorld, outputOf, startClientWorld } from './support.ts';

const run = promisify(execFile);
const app = fileURLToPath(new URL('./python/app.py', import.meta.url));

/**
 * `FANION_TEST_PYTHON`: a Python with the packages of docs/guides/opentelemetry.md, for example of a virtual
 * environment.
 */
const python = process.env.FANION_TEST_PYTHON ?? 'python3';
const modules = 'opentelemetry.distro, opentelemetry.exporter.otlp.proto.http, opentelemetry.exporter.otlp.proto.grpc';
const bin = outputOf(
  python,
  ['-c', `import ${modules}, sys; print(sys.executable)`],
  `${python} lacks the OpenTelemetry SDK; set FANION_TEST_PYTHON`,
);

describe.skipIf(bin === undefined)('the OpenTelemetry SDK of Python, as the guide sets it up', () => {
  let world: ClientWorld;
  beforeAll(async () => {
    world = await startClientWorld();
  });
  afterAll(() => world?.stop());

  it.each([
    ['http/protobuf', 'gzip'],
    ['http/protobuf', 'none'],
    // Over gRPC this SDK accepts gzip or an unset value: `none` makes it fail.
    ['grpc', 'gzip'],
  ])('%s, compression %s: traces, logs and metrics arrive', async (protocol, compression) => {
    const service = `python-${protocol}-${compression}`;
    const endpoint = protocol === 'grpc' ? `http://127.0.0.1:${world.grpcPort}` : world.base;
    const { stderr } = await run(join(dirname((bin ?? '').trim()), 'opentelemetry-instrument'), [python, app], {
      env: {
        ...process.env,
        OTEL_SERVICE_NAME: service,
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${world.token}`,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_COMPRESSION: compression,
        OTEL_PYTHON_LOGGING_AUTO_INSTRUMENTATION_ENABLED: 'true',
      },
      timeout: 100_000,
    });
    expect(stderr).not.toMatch(/Traceback|[Ff]ailed to export|StatusCode/);
    const of = `where service.name == "${service}"`;
    await world.gives(`spans | ${of} | stats n=count()`, 25);
    await world.gives(`spans | ${of} and status == error | stats n=count()`, 5);
    await world.gives(`logs | ${of} and severity == "warn" | stats n=count()`, 25);
    await world.gives(`metric shop.orders | ${of} | sort -time | limit 1 | fields value`, 25);
    await world.gives(`metric shop.checkout | ${of} and kind == histogram | stats n=count()`, 1);
  });
});
