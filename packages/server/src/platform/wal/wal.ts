import { mkdir, readdir, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { WAL_SIGNALS, type WalEntry, type WalSignal } from '@fanion/telemetry';
import { type Disk, realDisk } from './disk.ts';
import { type FrozenLog, linkLog, removeFrozenLog } from './freeze.ts';
import type { HeldItems } from './held-items.ts';
import { type Segment, SegmentLog } from './segment-log.ts';

export interface WalOptions {
  dir: string;
  /** Limit of all segments together, open and closed; beyond it `append` fails with {@link WalFull}. */
  maxBytes: number;
  /** `append` fails with {@link WalFull} while the disk has less than this. */
  minFreeBytes: number;
  /** `false` gives up safety against power loss (not against a crash of the process) for lower latency. */
  fsync: boolean;
  /** How segments are divided into blocks; see `divisionFor`. */
  division: number;
  segmentBytes: number;
  segmentItems: number;
  segmentAgeMs: number;
  /** A segment with so many items closes when nothing was written to it for so long. */
  segmentQuiet: { items: number; ms: number };
  /** Called for each segment that is closed, and once for each that an earlier process left, oldest first. */
  onClosed(segment: Segment): void;
  /** Called after each sync with its duration. */
  onSync?(seconds: number): void;
  disk?: Disk;
}

export interface WalStats {
  bytes: number;
  maxBytes: number;
  /** Closed segments that have not been dropped. */
  segments: number;
  entries: number;
  writes: number;
  syncs: number;
  full: WalFull['reason'] | undefined;
}

export interface Wal {
  /**
   * Resolves when the entry is durable.
   * @param earliest the time of its earliest item, in milliseconds since the epoch; by default, when it was received
   * @throws {WalFull} at the cap or when the disk is (nearly) full: nothing was accepted.
   */
  append(entry: WalEntry, earliest?: number): Promise<void>;
  /** Closes the open segments, so that everything appended so far is in closed ones. */
  closeOpen(): Promise<void>;
  /**
   * Links what was acknowledged and is not dropped into a folder, which stays until `removeFrozen` or the next start. Closes the open
   * segments for it, while appends go on: only a whole segment is divided into the same blocks again.
   */
  freeze(name: string): Promise<FrozenLog>;
  removeFrozen(name: string): Promise<void>;
  /** Removes a segment whose rows are stored. */
  drop(id: string): Promise<void>;
  /** Moves a segment that cannot be processed out of the way, into `quarantine/`. */
  setAside(id: string): Promise<void>;
  stats(): WalStats;
  /** When the oldest entry was received that is in a segment, in milliseconds since the epoch; undefined: there is none. */
  since(): number | undefined;
  /** What a tenant's acknowledged requests hold that is not stored. */
  held(tenant: { workspace: number; project?: number | undefined }, signals: readonly WalSignal[]): Held;
  /** Rejects further appends and closes. Closed segments stay for the next start. */
  stop(): Promise<void>;
}

/** Items in the log. */
export interface Held {
  /** Spans, log records, points; null: unknown, since some are from an earlier process. */
  items: number | null;
  /** When the oldest entry of these segments was received, in milliseconds since the epoch; undefined: they have none of the tenant. */
  since: number | undefined;
  /** The time of the earliest item, in milliseconds since the epoch; -Infinity: unknown, Infinity: none. */
  earliest: number;
}

/** The log is full; the caller returns 503 with `Retry-After`. */
export class WalFull extends Error {
  readonly reason: 'cap' | 'disk' | 'stopped';

  constructor(reason: WalFull['reason']) {
    const messages = {
      cap: 'the write-ahead log is full: the telemetry store is not keeping up',
      disk: 'the disk is full',
      stopped: 'the server is stopping',
    };
    super(messages[reason]);
    this.name = 'WalFull';
    this.reason = reason;
  }
}

const FREE_SPACE_POLL_MS = 1000;

/** Opens the log: segments that an earlier process left are passed to `onClosed` before this resolves. */
export async function openWal(options: WalOptions): Promise<Wal> {
  const { dir } = options;
  const disk = options.disk ?? realDisk;
  await mkdir(join(dir, 'quarantine'), { recursive: true, mode: 0o700 });
  // Left by a backup that a kill ended.
  await removeFrozenLog(dir);

  /** Without what it holds if it is from an earlier process. */
  const closed = new Map<string, { segment: Segment; held: HeldItems | undefined }>();
  let closedBytes = 0;
  let freeBytes = await disk.freeBytes(dir);
  let stopped = false;
  let diskFull = false;

  const onClosed = (segment: Segment, held: HeldItems | undefined) => {
    closed.set(segment.id, { segment, held });
    closedBytes += segment.bytes;
    options.onClosed(segment);
  };
  const logs = new Map<WalSignal, SegmentLog>(
    WAL_SIGNALS.map((signal) => [
      signal,
      new SegmentLog({
        dir,
        signal,
        disk,
        fsync: options.fsync,
        division: options.division,
        maxBytes: options.segmentBytes,
        maxItems: options.segmentItems,
        maxAgeMs: options.segmentAgeMs,
        quiet: options.segmentQuiet,
        onClosed,
        onSync: options.onSync,
      }),
    ]),
  );
  const poll = setInterval(() => {
    disk.freeBytes(dir).then(
      (bytes) => {
        freeBytes = bytes;
        diskFull = false;
      },
      () => {
        freeBytes = 0;
      },
    );
  }, FREE_SPACE_POLL_MS).unref();

  const totalBytes = () => closedBytes + sum(logs, (log) => log.bytes);
  const fullReason = (more: number): WalFull['reason'] | undefined => {
    if (stopped) return 'stopped';
    if (diskFull || freeBytes - more < options.minFreeBytes) return 'disk';
    return totalBytes() + more > options.maxBytes ? 'cap' : undefined;
  };
  const forget = (id: string): Segment | undefined => {
    const segment = closed.get(id)?.segment;
    if (segment !== undefined) closedBytes -= segment.bytes;
    closed.delete(id);
    return segment;
  };

  for (const segment of await leftSegments(dir)) onClosed(segment, undefined);

  return {
    async append(entry, earliest = entry.receivedAt) {
      const reason = fullReason(entry.body.length);
      const log = logs.get(entry.signal);
      if (reason !== undefined || log === undefined) throw new WalFull(reason ?? 'stopped');
      try {
        await log.append(entry, earliest);
      } catch (error) {
        if (!isNoSpace(error)) throw error;
        diskFull = true;
        throw new WalFull('disk');
      }
    },
    async closeOpen() {
      await Promise.all([...logs.values()].map((log) => log.closeOpen()));
    },
    async freeze(name) {
      await Promise.all([...logs.values()].map((log) => log.cut()));
      const segments = [...closed.values()].map(({ segment }) => segment);
      return linkLog(dir, segments, name);
    },
    removeFrozen: (name) => removeFrozenLog(dir, name),
    async drop(id) {
      const segment = forget(id);
      if (segment !== undefined) await unlink(segment.path);
    },
    async setAside(id) {
      const segment = forget(id);
      if (segment !== undefined) await rename(segment.path, join(dir, 'quarantine', `${id}.wal`));
    },
    stats: () => ({
      bytes: totalBytes(),
      maxBytes: options.maxBytes,
      segments: closed.size,
      entries: sum(logs, (log) => log.counters.entries),
      writes: sum(logs, (log) => log.counters.writes),
      syncs: sum(logs, (log) => log.counters.syncs),
      full: fullReason(0),
    }),
    since() {
      const times = [...closed.values()].map(({ segment }) => segment.since);
      for (const { since } of logs.values()) if (since !== undefined) times.push(since);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    held({ workspace, project }, signals) {
      const found: Held = { items: 0, since: undefined, earliest: Number.POSITIVE_INFINITY };
      const add = (held: HeldItems | undefined, since: number) => {
        const unknown = { items: null, earliest: Number.NEGATIVE_INFINITY };
        const { items, earliest } = held?.of(workspace, project) ?? unknown;
        if (items === 0) return;
        found.items = items === null || found.items === null ? null : found.items + items;
        found.earliest = Math.min(found.earliest, earliest);
        found.since = Math.min(found.since ?? since, since);
      };
      for (const { segment, held } of closed.values()) if (signals.includes(segment.signal)) add(held, segment.since);
      for (const signal of signals) {
        const { held, since } = logs.get(signal) ?? {};
        if (held !== undefined && since !== undefined) add(held, since);
      }
      return found;
    },
    async stop() {
      stopped = true;
      clearInterval(poll);
      await Promise.all([...logs.values()].map((log) => log.closeOpen()));
    },
  };
}

/** Segments that an earlier process left, oldest first. Their readers check the content. */
async function leftSegments(dir: string): Promise<Segment[]> {
  const segments: Segment[] = [];
  for (const name of await readdir(dir)) {
    const match = /^(([a-z]+)-[0-9a-f]+-[0-9a-f]+-[0-9a-f]+)\.wal$/.exec(name);
    const signal = WAL_SIGNALS.find((known) => known === match?.[2]);
    if (match?.[1] === undefined || signal === undefined) continue;
    const path = join(dir, name);
    const { size } = await stat(path);
    if (size === 0) await unlink(path);
    // Its entries were received shortly before it was created, which its name says.
    else segments.push({ id: match[1], signal, path, bytes: size, since: createdAt(match[1]) });
  }
  return segments.sort((a, b) => compare(creation(a), creation(b)));
}

function createdAt(id: string): number {
  return Number.parseInt(id.split('-')[1] ?? '0', 16);
}

/** The part of the id after the signal. */
function creation(segment: Segment): string {
  return segment.id.slice(segment.signal.length);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isNoSpace(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
}

function sum(logs: Map<WalSignal, SegmentLog>, count: (log: SegmentLog) => number): number {
  let total = 0;
  for (const log of logs.values()) total += count(log);
  return total;
}
