import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SignedUp, signUp, until } from '../../packages/server/src/testing/test-client.ts';
import { freePort, type ServerProcess, serveProcess } from '../support/server-process.ts';
import { logs } from './support/endpoints.ts';
import { percentile } from './support/processes.ts';
import { freshDirectory } from './support/stored.ts';
import { bytes, double, fixed64, message } from './support/wire.ts';

/** `FLOOD_SERIES=1000000` for the figures of docs/benchmarks.md. */
const series = Number(process.env.FLOOD_SERIES ?? 40_000);
const perDay = Math.floor(series / 4);
const perRequest = 2_000;

describe(`a project sends ${series} label sets`, () => {
  const directory = freshDirectory('flood');
  let server: ServerProcess;
  let flooder: SignedUp;
  let floodToken: string;
  let otherToken: string;

  beforeAll(async () => {
    server = await serveProcess(directory.path, await freePort(), {
      FANION_PROJECT_SERIES_PER_DAY: String(perDay),
      FANION_PROJECT_ITEMS_PER_SECOND: '50000',
    });
    flooder = await signUp(server.base);
    floodToken = await flooder.token(['telemetry:ingest']);
    otherToken = await (await signUp(server.base)).token(['telemetry:ingest']);
  });
  afterAll(async () => {
    await server?.end('SIGKILL');
    directory.remove();
  });

  async function post(
    token: string,
    path: string,
    body: Buffer | string,
  ): Promise<{ status: number; retryAfter: number }> {
    const response = await fetch(server.base + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': typeof body === 'string' ? 'application/json' : 'application/x-protobuf',
      },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    await response.arrayBuffer();
    return { status: response.status, retryAfter: Number(response.headers.get('retry-after')) };
  }

  /** Points of new series. */
  function points(from: number): Buffer {
    const time = BigInt(Date.now()) * 1_000_000n;
    const all = Array.from({ length: perRequest }, (_, i) =>
      message(
        1,
        fixed64(3, time),
        double(4, i),
        message(7, bytes(1, 'user'), message(2, bytes(1, `user-${from + i}`))),
      ),
    );
    const metric = message(2, bytes(1, 'flood'), message(5, Buffer.concat(all)));
    return message(1, message(2, metric));
  }

  async function others(count: number): Promise<number> {
    const samples: number[] = [];
    for (let i = 0; i < count; i++) {
      const began = performance.now();
      const { status } = await post(
        otherToken,
        '/v1/logs',
        JSON.stringify(logs('others', Array(20).fill(Date.now() - 1000))),
      );
      expect(status).toBe(200);
      samples.push(performance.now() - began);
    }
    return percentile(samples, 0.99);
  }

  it('serves other projects, and reports drops and limits in its usage', async () => {
    await others(20);
    const alone = await others(100);
    let sent = 0;
    let limited = 0;
    let flooding = true;
    const flood = (async () => {
      while (sent < series) {
        const { status, retryAfter } = await post(floodToken, '/v1/metrics', points(sent));
        expect([200, 429]).toContain(status);
        if (status === 200) sent += perRequest;
        else {
          limited++;
          await new Promise((resolve) => setTimeout(resolve, retryAfter * 1000));
        }
      }
      flooding = false;
    })();
    const during: number[] = [];
    while (flooding) during.push(await others(50));
    await flood;
    const usage = await until(async () => {
      const { data } = await flooder.get(`${flooder.workspace}/usage?from=now-1h`);
      const metrics = data.projects[0].signals.find(({ signal }: { signal: string }) => signal === 'metrics');
      const dropped = JSON.stringify(metrics).includes('reached its limit of new series today');
      // Series are counted once they are stored, which may be later than the first drop.
      const { series } = data.projects[0];
      return dropped && series.worst.length > 0 && { metrics, series };
    }, 60_000);
    console.log(
      `flood of ${series} label sets, ${perDay} a day allowed: p99 of others' acknowledgements ${alone.toFixed(1)} ms alone, ` +
        `${percentile(during, 0.5).toFixed(1)} ms beside it; ${limited} requests limited; series kept ${usage.series.count}, ` +
        `worst ${JSON.stringify(usage.series.worst[0])}`,
    );
    // The budget is counted afterwards: half as many more can pass, plus those that wait to be counted.
    expect(usage.series.count).toBeLessThanOrEqual(perDay * 2.5 + perRequest);
    expect(usage.series.worst[0]?.metric).toBe('flood');
  }, 1_200_000);
});
