import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { scan, WireError } from '@fanion/telemetry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signUp } from '../../packages/server/src/testing/test-client.ts';
import { freePort, type ServerProcess, serveProcess } from '../support/server-process.ts';
import { type Target, targetOf } from './support/endpoints.ts';
import { exportOver, grpcCode } from './support/grpc.ts';
import { judge, type Verdict } from './support/oracle.ts';
import { memoryOf, ownMetrics } from './support/processes.ts';
import { attribute, damage, dice, nested, request } from './support/samples.ts';
import { countIn, drained, freshDirectory } from './support/stored.ts';
import { bytes, double, fieldsOf, fixed64, message, number } from './support/wire.ts';

/** `FUZZ_SECONDS=600 FUZZ_SEED=7` for a long run, or to repeat one. */
const seconds = Number(process.env.FUZZ_SECONDS ?? 4);
const seed = Number(process.env.FUZZ_SEED ?? 20261120);

const signals = ['traces', 'logs', 'metrics'] as const;
type Signal = (typeof signals)[number];
const dayMs = 86_400_000;
const now = Date.now();
const window = { earliest: now - 30 * dayMs, latest: now + dayMs };
const nanos = (millis: number) => BigInt(millis) * 1_000_000n;

/** What an endpoint returned: its status, and how many items it rejected. */
interface Outcome {
  readonly status: number;
  readonly rejected: number;
}

describe('malformed OTLP', () => {
  const directory = freshDirectory('malformed');
  let server: ServerProcess;
  let target: Target;
  /** A token of another project, for data that the oracle does not count. */
  let uncounted: string;
  const accepted: Record<Signal, number> = { traces: 0, logs: 0, metrics: 0 };
  let worstStall = 0;

  beforeAll(async () => {
    const grpcPort = await freePort();
    server = await serveProcess(directory.path, await freePort(), { FANION_OTLP_GRPC_PORT: String(grpcPort) });
    target = targetOf(server.base, grpcPort, await (await signUp(server.base)).token(['telemetry:ingest']));
    uncounted = await (await signUp(server.base)).token(['telemetry:ingest']);
    await ownMetrics(server.base);
  });
  afterAll(async () => {
    target?.grpc.close();
    await server?.end('SIGKILL');
    directory.remove();
  });

  async function post(signal: Signal, type: string, body: Uint8Array, more: Record<string, string> = {}) {
    const response = await fetch(`${target.base}/v1/${signal}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${target.token}`, 'content-type': type, ...more },
      body: new Uint8Array(body),
    });
    return { status: response.status, answer: Buffer.from(await response.arrayBuffer()) };
  }
  async function protobuf(signal: Signal, body: Buffer, more: Record<string, string> = {}): Promise<Outcome> {
    const { status, answer } = await post(signal, 'application/x-protobuf', body, more);
    return { status, rejected: status === 200 ? rejectedIn(answer) : 0 };
  }
  async function json(signal: Signal, body: string | Buffer, more: Record<string, string> = {}): Promise<Outcome> {
    const { status, answer } = await post(signal, 'application/json', Buffer.from(body), more);
    const partial = status === 200 ? JSON.parse(answer.toString()).partialSuccess : undefined;
    const [rejected = '0'] = Object.entries(partial ?? {}).flatMap(([name, value]) =>
      name.startsWith('rejected') ? [String(value)] : [],
    );
    return { status, rejected: Number(rejected) };
  }
  /** The outcome over gRPC, with the corresponding HTTP status. */
  async function grpc(signal: Signal, body: Buffer): Promise<Outcome> {
    const { code, body: answer } = await exportOver(target, signal, body);
    const statuses = new Map<number, number>([
      [grpcCode.ok, 200],
      [grpcCode.invalidArgument, 400],
      [grpcCode.resourceExhausted, 413],
    ]);
    return { status: statuses.get(code) ?? 500, rejected: code === grpcCode.ok ? rejectedIn(answer) : 0 };
  }
  const expected = (verdict: Verdict): Outcome =>
    verdict.broken ? { status: 400, rejected: 0 } : { status: 200, rejected: verdict.refused };
  const count = (signal: Signal, verdict: Verdict) => {
    if (!verdict.broken) accepted[signal] += verdict.items - verdict.refused;
  };
  async function noteStall(of: string): Promise<void> {
    const stall = ((await ownMetrics(server.base)).get('nodejs_eventloop_lag_max_seconds') ?? 0) * 1000;
    worstStall = Math.max(worstStall, stall);
    if (stall > 100) console.log(`${of}: the event loop stood still for ${stall.toFixed(0)} ms at most`);
  }

  it(`rejects exactly the broken and invalid items, over http/protobuf and gRPC (seed ${seed})`, async () => {
    const end = performance.now() + seconds * 1000;
    const seen = { broken: 0, partial: 0, whole: 0 };
    for (let round = 0; performance.now() < end || Math.min(...Object.values(seen)) === 0; round++) {
      const roll = dice(seed + round);
      const cases = Array.from({ length: 16 }, () => {
        const signal = roll.pick(signals);
        const whole = request(roll, signal, now);
        const body = roll.chance(0.6) ? damage(roll, whole) : whole;
        return { signal, body, verdict: judge(signal, body, window), overGrpc: roll.chance(0.3) };
      });
      const outcomes = await Promise.all(
        cases.map(({ signal, body, overGrpc }) =>
          overGrpc
            ? grpc(signal, body)
            : roll.chance(0.5)
              ? protobuf(signal, body)
              : protobuf(signal, gzipSync(body, { level: 1 }), { 'content-encoding': 'gzip' }),
        ),
      );
      for (const [i, { signal, body, verdict }] of cases.entries()) {
        expect(outcomes[i], `seed ${seed + round}, case ${i}, ${signal} ${body.toString('base64')}`).toEqual(
          expected(verdict),
        );
        count(signal, verdict);
        seen[verdict.broken ? 'broken' : verdict.refused > 0 ? 'partial' : 'whole']++;
      }
    }
    await noteStall('fuzzed bodies');
    console.log(`malformed OTLP: ${JSON.stringify(seen)} requests, each answered as the oracle says`);
  }, 3_600_000);

  it('rejects the same in the scan alone, over many more payloads', () => {
    const cases = seconds * 500;
    for (let number = 0; number < cases; number++) {
      const roll = dice(seed + number);
      const signal = roll.pick(signals);
      const whole = request(roll, signal, now);
      const body = roll.chance(0.6) ? damage(roll, whole) : whole;
      expect(scanned(signal, body), `seed ${seed + number}, ${signal} ${body.toString('base64')}`).toEqual(
        judge(signal, body, window),
      );
    }
    console.log(`malformed OTLP: ${cases} bodies scanned, each judged as the oracle says`);
  }, 3_600_000);

  it('rejects damaged JSON and gzip as a whole, without a server error', async () => {
    // In a long run, the scan above blocks this process for longer than the server keeps idle connections.
    await fetch(`${target.base}/healthz`).catch(() => {});
    const end = performance.now() + (seconds / 3) * 1000;
    const aside = { authorization: `Bearer ${uncounted}` };
    const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'x', startTimeUnixNano: String(nanos(now)) };
    const whole = JSON.stringify({
      resourceSpans: [{ scopeSpans: [{ spans: [span, span, { ...span, spanId: 'b' }] }] }],
    });
    for (let round = 0; performance.now() < end; round++) {
      const roll = dice(seed + round);
      const text = damage(roll, Buffer.from(whole));
      const [plain, packed] = await Promise.all([
        json('traces', text, aside),
        post('traces', 'application/json', damage(roll, gzipSync(whole)), { ...aside, 'content-encoding': 'gzip' }),
      ]);
      const message = `seed ${seed + round}: ${text.toString('latin1')}`;
      expect([200, 400], message).toContain(plain.status);
      if (!isJson(text)) expect(plain.status, message).toBe(400);
      expect([200, 400], message).toContain(packed.status);
    }
    await noteStall('damaged JSON');
  }, 3_600_000);

  const id = (length: number) => Buffer.alloc(length, 7);
  const spanOf = (...parts: Buffer[]) =>
    message(2, bytes(1, id(16)), bytes(2, id(8)), fixed64(7, nanos(now)), ...parts);
  const requestOf = (...items: Buffer[]) => message(1, message(2, ...items));

  it('rejects exactly the invalid ids of every length and times of every year', async () => {
    const lengths = [0, 1, 7, 8, 9, 15, 16, 17, 32];
    const ids = lengths.flatMap((trace) =>
      lengths.map((span) => message(2, bytes(1, id(trace)), bytes(2, id(span)), fixed64(7, nanos(now)))),
    );
    const years = [1970, 1999, 2262, 2554].map((year) => nanos(Date.UTC(year, 1, 1)));
    const times = [0n, 1n, ...years, 2n ** 63n, 2n ** 64n - 1n, nanos(now)].map((time) =>
      message(2, bytes(1, id(16)), bytes(2, id(8)), fixed64(7, time)),
    );
    const body = requestOf(...ids, ...times);
    const wrong = { status: 200, rejected: ids.length + times.length - 2 };
    expect(judge('traces', body, window)).toEqual({
      broken: false,
      items: ids.length + times.length,
      refused: wrong.rejected,
    });
    expect([await protobuf('traces', body), await grpc('traces', body)]).toEqual([wrong, wrong]);
    const spans = lengths.flatMap((trace) =>
      lengths.map((span) => ({
        traceId: id(trace).toString('hex'),
        spanId: id(span).toString('hex'),
        startTimeUnixNano: String(nanos(now)),
      })),
    );
    expect(await json('traces', JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }))).toEqual({
      status: 200,
      rejected: spans.length - 1,
    });
    // The same body over gRPC is stored once.
    accepted.traces += 3;
  });

  it('limits values too deep, false lengths, and endless items and resources', async () => {
    const deep = requestOf(spanOf(message(9, bytes(1, 'k'), message(2, nested(10_000)))));
    const deepJson = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"k","value":${'{"arrayValue":{"values":['.repeat(10_000)}{}${']}}'.repeat(10_000)}}]}]}]}]}`;
    const lying = Buffer.concat([Buffer.from([10, 0xff, 0xff, 0xff, 0xff, 0x0f]), id(100)]);
    const negative = Buffer.concat([Buffer.from([10]), Buffer.alloc(9, 0xff), Buffer.from([1])]);
    const many = requestOf(Buffer.concat(Array.from({ length: 500_001 }, () => message(2))));
    const resource = message(1, message(1, bytes(1, 'k'), message(2, bytes(1, 'x'.repeat(60_000)))));
    const repeated = message(1, resource, message(2, Buffer.concat(Array.from({ length: 10_000 }, () => message(2)))));
    const answers = [
      await protobuf('traces', deep),
      await grpc('traces', deep),
      await json('traces', deepJson),
      await protobuf('logs', lying),
      await grpc('logs', lying),
      await protobuf('logs', negative),
      await protobuf('logs', many),
      await grpc('logs', many),
      await protobuf('logs', repeated),
      await protobuf('logs', Buffer.alloc(33 * 1024 ** 2)),
    ].map(({ status }) => status);
    await noteStall('too deep, too many');
    expect(answers).toEqual([400, 400, 400, 400, 400, 400, 413, 413, 413, 413]);
  });

  it('inflates gzip bombs only up to the limit', async () => {
    const before = memoryOf(server.child.pid);
    const bomb = gzipSync(Buffer.alloc(1024 ** 3), { level: 1 });
    expect(bomb.length).toBeLessThan(8 * 1024 ** 2);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => protobuf('traces', bomb, { 'content-encoding': 'gzip' })),
    );
    const after = memoryOf(server.child.pid);
    await noteStall('gzip bombs');
    console.log(`4 gzip bombs of 1 GiB: memory ${before.toFixed(0)} MiB before, ${after.toFixed(0)} MiB after`);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([413]));
    expect(after - before).toBeLessThan(600);
  });

  it('stores large and unusual valid data: 100,000 attributes, NaN, invalid UTF-8, 20 MiB of JSON', async () => {
    const roll = dice(seed);
    const attributes = Buffer.concat(
      Array.from({ length: 100_000 }, (_, i) =>
        message(9, bytes(1, `attribute.${i}`), message(2, bytes(1, `value ${i}`))),
      ),
    );
    const point = (value: number) => message(1, fixed64(3, nanos(now)), double(4, value));
    const gauge = requestOf(
      message(2, bytes(1, 'fuzz.nan'), message(5, ...[Number.NaN, Infinity, -Infinity].map(point))),
    );
    const invalid = requestOf(spanOf(bytes(5, Buffer.from([0xff, 0xfe])), attribute(roll, 9), number(6, 99)));
    const spans = Array.from({ length: 40_000 }, (_, i) => ({
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      name: `GET /${i}`,
      startTimeUnixNano: String(nanos(now)),
      attributes: Array.from({ length: 5 }, (_, k) => ({
        key: `key.${k}`,
        value: { stringValue: `value ${k} of ${i}` },
      })),
    }));
    const large = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    expect(large.length).toBeGreaterThan(15 * 1024 ** 2);
    const outcomes = [
      await protobuf('traces', requestOf(spanOf(attributes))),
      await grpc('traces', requestOf(spanOf(attributes))),
      await protobuf('metrics', gauge),
      await protobuf('traces', invalid),
      await json('traces', large),
    ];
    await noteStall('20 MiB of JSON and 100,000 attributes');
    expect(outcomes).toEqual(Array(5).fill({ status: 200, rejected: 0 }));
    // The same body over gRPC is stored once.
    accepted.traces += 2 + spans.length;
    accepted.metrics += 3;
  });

  it('stores every accepted item as a row, and quarantines nothing', async () => {
    await drained(server.base, directory.path, 120_000);
    expect(readdirSync(join(directory.path, 'wal', 'quarantine'))).toEqual([]);
    const output = server.output();
    await server.end('SIGTERM');
    const rows = await countIn(directory.path, {
      traces: 'SELECT count() AS rows FROM spans WHERE project = 1',
      logs: 'SELECT count() AS rows FROM logs',
      metrics: 'SELECT (SELECT count() FROM metric_points) + (SELECT count() FROM metric_histograms) AS rows',
    });
    console.log(
      `malformed OTLP: accepted ${JSON.stringify(accepted)}, stored ${JSON.stringify(rows)}; worst stall of the event loop ${worstStall.toFixed(0)} ms`,
    );
    expect(rows).toEqual(accepted);
    expect(output).not.toContain('telemetry could not be accepted');
  }, 300_000);
});

function scanned(signal: Signal, body: Buffer): Verdict {
  try {
    const { items, refused } = scan(signal, body, { now: Date.now(), maxItems: 500_000, ...window });
    return { broken: false, items, refused: refused.length };
  } catch (error) {
    if (error instanceof WireError) return { broken: true };
    throw error;
  }
}

/** The count of refused items in an `Export…ServiceResponse`. */
function rejectedIn(answer: Buffer): number {
  const partial = fieldsOf(answer).find(({ number }) => number === 1);
  return partial === undefined ? 0 : Number(fieldsOf(partial.content).find(({ number }) => number === 1)?.value ?? 0n);
}

function isJson(text: Buffer): boolean {
  try {
    JSON.parse(text.toString());
    return true;
  } catch {
    return false;
  }
}
