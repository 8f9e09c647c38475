import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Disk, decodeEntry, readFrames, realDisk, type Segment, Wal, type WalOptions } from './index.ts';
import { entryOf } from './testing/entries.ts';

let dir: string;
let closed: Segment[];
let open: Wal[];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fanion-wal-'));
  closed = [];
  open = [];
});
afterEach(async () => {
  for (const wal of open) await wal.stop();
  await rm(dir, { recursive: true, force: true });
});

async function start(options: Partial<WalOptions> = {}): Promise<Wal> {
  const wal = await Wal.open({
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
    ...options,
  });
  open.push(wal);
  return wal;
}

async function bodies(segments: readonly Segment[]): Promise<string[]> {
  const read = await Promise.all(segments.map(({ path }) => readFile(path)));
  return read.flatMap((content) => readFrames(content).payloads.map((payload) => decodeEntry(payload).body.toString()));
}
const bodyOf = (id: number) => entryOf(id).body.toString();

describe('the oldest entry', () => {
  it('counts while it is written and while its segment is closed', async () => {
    const seen: unknown[] = [];
    let wal: Wal | undefined;
    const look = () => seen.push([wal?.since(), (wal?.stats().bytes ?? 0) > 0]);
    const disk: Disk = {
      ...realDisk,
      async create(path) {
        look();
        return realDisk.create(path);
      },
      async close(fd) {
        look();
        return realDisk.close(fd);
      },
    };
    wal = await start({ disk });
    await wal.append(entryOf(1, { receivedAt: 5_000 }));
    await wal.closeOpen();
    expect(seen).toEqual([
      [5_000, true],
      [5_000, true],
    ]);
  });

  it('counts from when it was received until its segment is dropped, over restarts', async () => {
    const wal = await start();
    expect(wal.since()).toBeUndefined();
    await wal.append(entryOf(1, { receivedAt: 5_000 }));
    expect(wal.since()).toBe(5_000);
    await wal.append(entryOf(2, { receivedAt: 4_000 }));
    await wal.append(entryOf(3, { signal: 'logs', receivedAt: 7_000 }));
    expect(wal.since()).toBe(4_000);
    await wal.closeOpen();
    expect(wal.since()).toBe(4_000);
    for (const { id } of closed.filter(({ signal }) => signal === entryOf(1).signal)) await wal.drop(id);
    expect(wal.since()).toBe(7_000);
    const before = Date.now();
    await wal.stop();
    const next = await start();
    const since = next.since();
    expect(since).toBeGreaterThan(before - 600_000);
    expect(since).toBeLessThanOrEqual(Date.now());
    for (const { id } of closed.filter(({ signal }) => signal === 'logs')) await next.drop(id);
    expect(next.since()).toBeUndefined();
  });
});

describe('appending', () => {
  it('keeps the order within a signal, and separates signals', async () => {
    const wal = await start();
    await Promise.all([wal.append(entryOf(1)), wal.append(entryOf(2)), wal.append(entryOf(3, { signal: 'logs' }))]);
    await wal.closeOpen();
    expect(closed.map(({ signal }) => signal).sort()).toEqual(['logs', 'traces']);
    expect(await bodies(closed.filter(({ signal }) => signal === 'traces'))).toEqual([bodyOf(1), bodyOf(2)]);
  });

  it('shares one sync among all waiting entries', async () => {
    const wal = await start();
    await Promise.all(Array.from({ length: 200 }, (_, id) => wal.append(entryOf(id))));
    const { entries, syncs, writes } = wal.stats();
    expect(entries).toBe(200);
    expect(syncs).toBe(writes);
    expect(syncs).toBeLessThanOrEqual(3);
  });

  it('does not sync when fsync is off', async () => {
    const wal = await start({ fsync: false });
    await wal.append(entryOf(1));
    expect(wal.stats()).toMatchObject({ entries: 1, syncs: 0 });
  });

  it('closes a segment by size, by items and by age', async () => {
    const bySize = await start({ segmentBytes: 100 });
    for (let id = 0; id < 3; id++) await bySize.append(entryOf(10 + id));
    await bySize.closeOpen();
    expect(closed).toHaveLength(3);
    const byItems = await start({ dir: join(dir, 'items'), segmentItems: 2 });
    for (let id = 0; id < 4; id++) await byItems.append(entryOf(id));
    await byItems.closeOpen();
    expect(closed).toHaveLength(5);
    const aged = new Promise<Segment>((resolve) => {
      void start({ dir: join(dir, 'age'), segmentAgeMs: 1, onClosed: resolve }).then((wal) => wal.append(entryOf(1)));
    });
    expect(await bodies([await aged])).toEqual([bodyOf(1)]);
  });

  it('closes a segment before an entry with which it would have too many items', async () => {
    const wal = await start({ segmentItems: 100 });
    for (const [id, items] of [60, 40, 1, 100, 250, 99].entries()) await wal.append(entryOf(id, { items }));
    await wal.closeOpen();
    expect(await Promise.all(closed.map((segment) => bodies([segment])))).toEqual(
      [[0, 1], [2], [3], [4], [5]].map((ids) => ids.map(bodyOf)),
    );
  });

  it('takes no more entries at once than fit into a segment', async () => {
    const wal = await start({ segmentItems: 100 });
    await Promise.all([60, 60, 40, 30].map((items, id) => wal.append(entryOf(id, { items }))));
    await wal.closeOpen();
    expect(await Promise.all(closed.map((segment) => bodies([segment])))).toEqual(
      [[0], [1, 2], [3]].map((ids) => ids.map(bodyOf)),
    );
  });

  it('closes a segment of many items when nothing follows', async () => {
    let resolve = (_: Segment) => {};
    const quiet = new Promise<Segment>((found) => {
      resolve = found;
    });
    const wal = await start({ segmentQuiet: { items: 100, ms: 1 }, onClosed: resolve });
    await wal.append(entryOf(1, { items: 60 }));
    await wal.append(entryOf(2, { items: 60 }));
    expect(await bodies([await quiet])).toEqual([bodyOf(1), bodyOf(2)]);
  });
});

describe('held items', () => {
  it('are counted by tenant and signal from their acknowledgement until their segment is dropped', async () => {
    const wal = await start();
    await wal.append(entryOf(1, { items: 5, refused: Uint32Array.of(2), receivedAt: 5_000 }), 1_000);
    await wal.append(entryOf(2, { items: 3, project: 3, receivedAt: 6_000 }));
    await wal.append(entryOf(3, { items: 7, signal: 'logs', receivedAt: 4_000 }));
    expect(wal.held({ workspace: 1, project: 2 }, ['traces'])).toEqual({ items: 4, since: 5_000, earliest: 1_000 });
    expect(wal.held({ workspace: 1 }, ['traces', 'logs'])).toEqual({
      items: 14,
      since: 4_000,
      earliest: 1_000,
    });
    const nothing = { items: 0, since: undefined, earliest: Number.POSITIVE_INFINITY };
    expect(wal.held({ workspace: 2 }, ['traces'])).toEqual(nothing);
    await wal.closeOpen();
    expect(wal.held({ workspace: 1 }, ['traces'])).toMatchObject({ items: 7, since: 5_000 });
    for (const { id, signal } of closed) if (signal === 'traces') await wal.drop(id);
    expect(wal.held({ workspace: 1 }, ['traces'])).toEqual(nothing);
  });

  it('have an unknown number while a segment of an earlier process is not stored', async () => {
    const first = await start();
    await first.append(entryOf(1));
    await first.stop();
    const wal = await start();
    expect(wal.held({ workspace: 9 }, ['traces'])).toEqual({
      items: null,
      since: expect.any(Number),
      earliest: Number.NEGATIVE_INFINITY,
    });
    expect(wal.held({ workspace: 9 }, ['logs'])).toMatchObject({ items: 0, since: undefined });
  });
});

describe('an earlier process', () => {
  it('leaves segments, which keep their ids and are returned oldest first', async () => {
    const first = await start({ segmentItems: 1 });
    for (let id = 0; id < 5; id++) await first.append(entryOf(id));
    await first.stop();
    const left = closed.splice(0);
    await start();
    // Only the process that wrote an entry knows when it was received, before it is read.
    const plain = (segments: readonly Segment[]) => segments.map(({ since: _, ...segment }) => segment);
    expect(plain(closed)).toEqual(plain(left));
    expect(new Set(closed.map(({ id }) => id)).size).toBe(5);
    expect(await bodies(closed)).toEqual([0, 1, 2, 3, 4].map(bodyOf));
  });

  it('leaves nothing of dropped segments', async () => {
    const first = await start();
    await first.append(entryOf(1));
    await first.closeOpen();
    await first.drop(closed[0]?.id ?? '');
    expect(first.stats()).toMatchObject({ bytes: 0, segments: 0 });
    closed = [];
    await start();
    expect(closed).toEqual([]);
  });

  it('was interrupted in its last write: all earlier entries are kept', async () => {
    const first = await start();
    for (let id = 0; id < 3; id++) await first.append(entryOf(id));
    await first.stop();
    const [segment] = closed.splice(0) as [Segment];
    await truncate(segment.path, segment.bytes - 1);
    await start();
    expect(await bodies(closed)).toEqual([0, 1].map(bodyOf));
  });

  it('was killed at random moments: every acknowledged entry exists once and intact', async () => {
    const child = fileURLToPath(new URL('./testing/append-forever.ts', import.meta.url));
    const acknowledged = new Set<number>();
    for (let round = 0; round < 4; round++) {
      const here = join(dir, String(round));
      const writer = fork(child, [here], { execArgv: ['--import', 'tsx'] });
      const enough = 50 + round * 97;
      await new Promise<void>((resolve) => {
        writer.on('message', (id: number) => {
          acknowledged.add(id);
          if (acknowledged.size === enough) resolve();
        });
      });
      writer.kill('SIGKILL');
      await once(writer, 'exit');
      closed = [];
      await start({ dir: here });
      const found = await bodies(closed);
      expect(new Set(found).size).toBe(found.length);
      for (const id of acknowledged) expect(found).toContain(bodyOf(id));
      expect(found.every((body) => body === bodyOf(Number(/\d+/.exec(body)?.[0])))).toBe(true);
      acknowledged.clear();
    }
  });
});

describe('no room', () => {
  it('rejects at the cap, and accepts again when segments are dropped', async () => {
    const wal = await start({ maxBytes: 1500 });
    const large = { body: Buffer.alloc(1000) };
    await wal.append(entryOf(1, large));
    await expect(wal.append(entryOf(2, large))).rejects.toMatchObject({ name: 'WalFull', reason: 'cap' });
    await wal.closeOpen();
    await wal.drop(closed[0]?.id ?? '');
    await wal.append(entryOf(3, large));
  });

  it('counts waiting entries', async () => {
    const wal = await start({ maxBytes: 1500 });
    const large = { body: Buffer.alloc(1000) };
    const both = await Promise.allSettled([wal.append(entryOf(1, large)), wal.append(entryOf(2, large))]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  it('rejects while the disk has too little free space', async () => {
    const wal = await start({ minFreeBytes: Number.MAX_SAFE_INTEGER });
    await expect(wal.append(entryOf(1))).rejects.toMatchObject({ name: 'WalFull', reason: 'disk' });
    expect(wal.stats().full).toBe('disk');
  });

  it('acknowledges nothing that a full disk truncated, and continues when there is space', async () => {
    let full = false;
    const disk: Disk = {
      ...realDisk,
      async write(fd, buffers, position) {
        if (!full) return realDisk.write(fd, buffers, position);
        await realDisk.write(fd, [Buffer.concat(buffers).subarray(0, 20)], position);
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      },
    };
    const wal = await start({ disk });
    await wal.append(entryOf(1));
    full = true;
    await expect(wal.append(entryOf(2))).rejects.toMatchObject({ name: 'WalFull', reason: 'disk' });
    full = false;
    await expect
      .poll(() =>
        wal.append(entryOf(3)).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await wal.closeOpen();
    expect(await bodies(closed)).toEqual([bodyOf(1), bodyOf(3)]);
  });

  it('never writes again to a file whose sync failed', async () => {
    let failing = false;
    const disk: Disk = {
      ...realDisk,
      sync: (fd) => (failing ? Promise.reject(new Error('EIO: i/o error')) : realDisk.sync(fd)),
    };
    const wal = await start({ disk });
    await wal.append(entryOf(1));
    failing = true;
    await expect(wal.append(entryOf(2))).rejects.toThrow('EIO');
    failing = false;
    await wal.append(entryOf(3));
    await wal.closeOpen();
    expect(closed).toHaveLength(2);
    expect(await bodies(closed)).toEqual([bodyOf(1), bodyOf(3)]);
  });

  it('rejects after it is stopped', async () => {
    const wal = await start();
    await wal.stop();
    await expect(wal.append(entryOf(1))).rejects.toMatchObject({ reason: 'stopped' });
  });
});

it('moves a segment out of the way', async () => {
  const wal = await start();
  await wal.append(entryOf(1));
  await wal.closeOpen();
  const id = closed[0]?.id ?? '';
  await wal.setAside(id);
  expect(await readdir(join(dir, 'quarantine'))).toEqual([`${id}.wal`]);
  expect(wal.stats().segments).toBe(0);
});
