import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { decodeEntry, readFrames, type Segment, Wal } from './index.ts';
import { entryOf } from './testing/entries.ts';

let dir: string;
let closed: Segment[];
let wal: Wal;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fanion-wal-'));
  closed = [];
  wal = await start();
});
afterEach(async () => {
  await wal.stop();
  await rm(dir, { recursive: true, force: true });
});

function start(): Promise<Wal> {
  return Wal.open({
    dir,
    maxBytes: 1e9,
    minFreeBytes: 0,
    fsync: true,
    division: 0,
    segmentBytes: 1e6,
    segmentItems: 1e6,
    segmentAgeMs: 60_000,
    segmentQuiet: { items: 1e6, ms: 60_000 },
    onClosed: (segment) => closed.push(segment),
  });
}

async function entriesIn(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.wal'));
  const read = await Promise.all(files.map((name) => readFile(join(folder, name))));
  return read.flatMap((content) => readFrames(content).payloads.map((payload) => decodeEntry(payload).body.toString()));
}

it('holds every entry acknowledged before, once, while appends go on', async () => {
  const acknowledged = new Set<string>();
  let stopped = false;
  const appending = Array.from({ length: 8 }, async (_, sender) => {
    for (let n = 0; !stopped; n++) {
      const entry = entryOf(sender * 100_000 + n, { signal: n % 2 === 0 ? 'traces' : 'logs' });
      await wal.append(entry);
      acknowledged.add(entry.body.toString());
    }
  });
  while (acknowledged.size < 200) await new Promise((resolve) => setImmediate(resolve));
  const before = new Set(acknowledged);
  const frozen = await wal.freeze('one');
  expect(acknowledged.size).toBeGreaterThanOrEqual(before.size);
  const during = acknowledged.size;
  while (acknowledged.size < during + 100) await new Promise((resolve) => setImmediate(resolve));
  stopped = true;
  await Promise.all(appending);

  const entries = await entriesIn(frozen.dir);
  expect(new Set(entries).size).toBe(entries.length);
  expect([...before].filter((entry) => !entries.includes(entry))).toEqual([]);
  expect(entries.length).toBeLessThan(acknowledged.size);
});

it('keeps the segments of a frozen log that are dropped afterwards', async () => {
  await wal.append(entryOf(1));
  const frozen = await wal.freeze('one');
  for (const { id } of closed) await wal.drop(id);
  expect(await entriesIn(dir)).toEqual([]);
  expect(await entriesIn(frozen.dir)).toEqual([entryOf(1).body.toString()]);
  expect(frozen).toMatchObject({ segments: 1, bytes: closed[0]?.bytes });
});

it('leaves out what was stored before, and takes what was set aside', async () => {
  await wal.append(entryOf(1));
  await wal.append(entryOf(2, { signal: 'logs' }));
  await wal.closeOpen();
  const stored = closed.find(({ signal }) => signal === 'traces')?.id ?? '';
  const broken = closed.find(({ signal }) => signal === 'logs')?.id ?? '';
  await wal.drop(stored);
  await wal.setAside(broken);
  const frozen = await wal.freeze('one');
  expect(await readdir(frozen.dir)).toEqual(['quarantine']);
  expect(await readdir(join(frozen.dir, 'quarantine'))).toEqual([`${broken}.wal`]);
});

it('removes what a killed backup left when it is opened', async () => {
  await mkdir(join(dir, 'frozen/one'), { recursive: true });
  await writeFile(join(dir, 'frozen/one/traces-1-1-1.wal'), 'left');
  await wal.stop();
  wal = await start();
  expect(await readdir(dir)).toEqual(['quarantine']);
});
