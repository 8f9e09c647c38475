/**
 * What it costs to recognise repeated ingest requests (docs/decisions/0004): processor time per item of `Repeats` for new and for
 * repeated requests, beside that of the scan that every request passes, and its share of all that a span costs.
 *
 *     npx tsx bench/repeats.ts
 */
import { cpus } from 'node:os';
import { type Signal, scan } from '@fanion/telemetry';
import { Repeats } from '../packages/server/src/features/telemetry/ingest/limits/repeats.ts';
import { principal } from '../packages/server/src/features/telemetry/ingest/testing/http.ts';
import { BATCHES, batch, ITEMS } from './support/ingest/data.ts';

const rounds = 7;
/** µs of processor time of server and store for a span of 350 bytes (`bench/ingest.ts`, 2026-11-23). */
const wholeSpan = 13.6;
const now = Date.now();
const accepted = { answer: { accepted: ITEMS, rejected: 0, message: '' }, isOnce: true };
const limits = { now, maxItems: 100_000, earliest: 0, latest: Number.POSITIVE_INFINITY };

/** Microseconds of processor time per item: the median of the rounds. */
async function perItem(work: (round: number) => Promise<void>): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    await work(round);
    const { user, system } = process.cpuUsage(before);
    taken.push((user + system) / (BATCHES * ITEMS));
  }
  return taken.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}\n`,
);
console.log('| signal | bytes per item | scan | new request | repeated request | share of a span |');
console.log('|---|---|---|---|---|---|');
for (const signal of ['traces', 'logs', 'metrics'] satisfies Signal[]) {
  const bodies = Array.from({ length: BATCHES }, (_, index) => batch(signal, index, now));
  const send = async (repeats: Repeats) => {
    for (const body of bodies)
      await repeats.once({ signal, format: 'protobuf', body, principal }, async () => accepted);
  };
  const known = new Repeats(100_000, Date);
  await send(known);
  const scanned = await perItem(async () => {
    for (const body of bodies) scan(signal, body, limits);
  });
  const off = await perItem(() => send(new Repeats(0, Date)));
  const fresh = (await perItem(() => send(new Repeats(100_000, Date)))) - off;
  const repeated = (await perItem(() => send(known))) - off;
  const bytes = bodies.reduce((sum, { length }) => sum + length, 0) / (BATCHES * ITEMS);
  const us = (value: number) => `${value.toFixed(3)} µs`;
  const share = signal === 'traces' ? `${((fresh / wholeSpan) * 100).toFixed(1)} %` : '';
  console.log(`| ${signal} | ${bytes.toFixed(0)} | ${us(scanned)} | ${us(fresh)} | ${us(repeated)} | ${share} |`);
}
