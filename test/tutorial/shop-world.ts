import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { WireWriter } from '@fanion/telemetry';
import { runDemo } from '../../packages/demo/src/index.ts';
import { type SignedUp, signUp, stored, testPassword } from '../../packages/server/src/testing/test-client.ts';
import { startTestServer } from '../../packages/server/src/testing/test-server.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A server with a piece of the shop's day, told by the shop itself, and a reader of it. */
export interface ShopWorld {
  readonly base: string;
  readonly reader: SignedUp;
  /** The whole history, and twenty minutes of it in which Paywise was hardly there. */
  readonly all: Window;
  readonly outage: Window;
  stop(): Promise<void>;
}

export interface Window {
  readonly from: string;
  readonly to: string;
}

/**
 * From 13:45 to 14:25 UTC of the last day that has reached it: twenty minutes of peace, and as many of the outage of
 * Paywise. Equal days have equal traffic.
 */
export async function startShopWorld(now = Date.now()): Promise<ShopWorld> {
  const intoDay = (14 * 60 + 25) * MINUTE;
  const end = Math.floor((now - intoDay) / DAY) * DAY + intoDay;
  const begin = end - 40 * MINUTE;
  // Its own: on a server that has run for minutes, the map derives late spans only within two minutes.
  const server = await startTestServer({});
  const reader = await signUp(server.base, 'reader');
  await runDemo({
    endpoint: server.base,
    account: { email: reader.email, password: testPassword },
    backfillMs: end - begin,
    ratePerSecond: 1.25,
    once: true,
    now: () => end,
  });
  const window = (from: number, to: number): Window => ({
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
  });
  const all = window(begin, end);
  const token = await reader.token(['telemetry:ingest']);
  const profile = await fetch(`${server.base}/v1development/profiles/pprof?service=catalog&environment=production`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: new Uint8Array(profileOfGo(end - 5 * MINUTE)),
  });
  if (!profile.ok) throw new Error(`profile: ${profile.status} ${await profile.text()}`);
  await stored(server.base, 100_000);
  return {
    base: server.base,
    reader,
    all,
    outage: window(end - 20 * MINUTE, end),
    stop: () => server.stop(),
  };
}

/** A file of Go's own profiler, as if it were taken then: of a field that comes twice the last one counts. */
function profileOfGo(at: number): Buffer {
  const file = new URL('../../packages/telemetry/src/testing/go-cpu.pb.gz', import.meta.url);
  const time = new WireWriter();
  time.varint(72);
  time.bigVarint(BigInt(at) * 1_000_000n);
  return gzipSync(Buffer.concat([gunzipSync(readFileSync(file)), time.result()]));
}
