import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClientWorld, startClientWorld } from './support.ts';

/** Made by `go run main.go` beside it: two seconds of `mix`, called by `handleCheckout` under the label `endpoint`. */
const profile = readFileSync(new URL('./pprof/go-cpu.pb.gz', import.meta.url));

let world: ClientWorld;
beforeAll(async () => {
  // The file's own time is fixed, so the retention is long enough for it to stay valid.
  world = await startClientWorld(
    { FANION_RETENTION_DAYS: '3650' },
    { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' },
  );
});
afterAll(() => world?.stop());

it.each([
  ['gzipped, as Go writes it', profile],
  ['plain', gunzipSync(profile)],
])('a CPU profile of Go, %s, is stored with its stacks and labels', async (name, body) => {
  const service = `go ${name}`;
  const response = await fetch(
    `${world.base}/v1development/profiles/pprof?service=${encodeURIComponent(service)}&environment=production&region=eu`,
    { method: 'POST', headers: { authorization: `Bearer ${world.token}` }, body: new Uint8Array(body) },
  );
  expect([response.status, await response.json()]).toEqual([200, {}]);
  const of = `where service.name == "${service}"`;
  // `go tool pprof -top` reports 630 ms.
  await world.gives(`profiles cpu | ${of} | stats total=sum(value)`, 630_000_000);
  await world.gives(`profiles cpu | ${of} and endpoint == "/checkout" | stats total=sum(value)`, 630_000_000);
});
