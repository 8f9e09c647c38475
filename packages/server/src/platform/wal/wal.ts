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

/** The write-ahead log: one log of segments for each signal. */
export class Wal {
  readonly #options: WalOptions;
  /** Without what it holds if it is from an earlier process. */
  readonly #closed = new Map<string, { segment: Segment; held: HeldItems | undefined }>();
  #closedBytes = 0;
  #freeBytes: number;
  #stopped = false;
  #diskFull = false;
  readonly #logs: Map<WalSignal, SegmentLog>;
  readonly #poll: NodeJS.Timeout;

  /** Opens the log: segments that an earlier process left are passed to `onClosed` before this resolves. */
  static async open(options: WalOptions): Promise<Wal> {
    const { dir, disk = realDisk } = options;
    await mkdir(join(dir, 'quarantine'), { recursive: true, mode: 0o700 });
    // Left by a backup that a kill ended.
    await removeFrozenLog(dir);
    const wal = new Wal(options, disk, await disk.freeBytes(dir));
    for (const segment of await leftSegments(dir)) wal.#onClosed(segment, undefined);
    return wal;
  }

  private constructor(options: WalOptions, disk: Disk, freeBytes: number) {
    this.#options = options;
    this.#freeBytes = freeBytes;
    this.#logs = new Map(
      WAL_SIGNALS.map((signal) => [
        signal,
        new SegmentLog({
          dir: options.dir,
          signal,
          disk,
          fsync: options.fsync,
          division: options.division,
          maxBytes: options.segmentBytes,
          maxItems: options.segmentItems,
          maxAgeMs: options.segmentAgeMs,
          quiet: options.segmentQuiet,
          onClosed: (segment, held) => this.#onClosed(segment, held),
          onSync: options.onSync,
        }),
      ]),
    );
    this.#poll = setInterval(() => {
      disk.freeBytes(options.dir).then(
        (bytes) => {
          this.#freeBytes = bytes;
          this.#diskFull = false;
        },
        () => {
          this.#freeBytes = 0;
        },
      );
    }, FREE_SPACE_POLL_MS).unref();
  }

  /**
   * Resolves when the entry is durable.
   * @param earliest Unix milliseconds of its earliest item; by default, when the entry was received
   * @throws {WalFull} at the cap or when the disk is (nearly) full: nothing was accepted.
   */
  async append(entry: WalEntry, earliest: number = entry.receivedAt): Promise<void> {
    const reason = this.#fullReason(entry.body.length);
    const log = this.#logs.get(entry.signal);
    if (reason !== undefined || log === undefined) throw new WalFull(reason ?? 'stopped');
    try {
      await log.append(entry, earliest);
    } catch (error) {
      if (!isNoSpace(error)) throw error;
      this.#diskFull = true;
      throw new WalFull('disk');
    }
  }

  /** Closes the open segments, so that everything appended so far is in closed ones. */
  async closeOpen(): Promise<void> {
    await Promise.all([...this.#logs.values()].map((log) => log.closeOpen()));
  }

  /**
   * Links what was acknowledged and is not dropped into a folder, which stays until `removeFrozen` or the next start. Closes the open
   * segments for it, while appends go on: only a whole segment is divided into the same blocks again.
   */
  async freeze(name: string): Promise<FrozenLog> {
    await Promise.all([...this.#logs.values()].map((log) => log.cut()));
    const segments = [...this.#closed.values()].map(({ segment }) => segment);
    return linkLog(this.#options.dir, segments, name);
  }

  removeFrozen(name: string): Promise<void> {
    return removeFrozenLog(this.#options.dir, name);
  }

  /** Removes a segment whose rows are stored. */
  async drop(id: string): Promise<void> {
    const segment = this.#forget(id);
    if (segment !== undefined) await unlink(segment.path);
  }

  /** Moves a segment that cannot be processed out of the way, into `quarantine/`. */
  async setAside(id: string): Promise<void> {
    const segment = this.#forget(id);
    if (segment !== undefined) await rename(segment.path, join(this.#options.dir, 'quarantine', `${id}.wal`));
  }

  stats(): WalStats {
    return {
      bytes: this.#totalBytes(),
      maxBytes: this.#options.maxBytes,
      segments: this.#closed.size,
      entries: sum(this.#logs, (log) => log.counters.entries),
      writes: sum(this.#logs, (log) => log.counters.writes),
      syncs: sum(this.#logs, (log) => log.counters.syncs),
      full: this.#fullReason(0),
    };
  }

  /** When the oldest entry was received that is in a segment, in milliseconds since the epoch; undefined: there is none. */
  since(): number | undefined {
    const times = [...this.#closed.values()].map(({ segment }) => segment.since);
    for (const { since } of this.#logs.values()) if (since !== undefined) times.push(since);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** What a tenant's acknowledged requests hold that is not stored. */
  held(
    { workspace, project }: { workspace: number; project?: number | undefined },
    signals: readonly WalSignal[],
  ): Held {
    const found: Held = { items: 0, since: undefined, earliest: Number.POSITIVE_INFINITY };
    const add = (held: HeldItems | undefined, since: number) => {
      const unknown = { items: null, earliest: Number.NEGATIVE_INFINITY };
      const { items, earliest } = held?.of(workspace, project) ?? unknown;
      if (items === 0) return;
      found.items = items === null || found.items === null ? null : found.items + items;
      found.earliest = Math.min(found.earliest, earliest);
      found.since = Math.min(found.since ?? since, since);
    };
    for (const { segment, held } of this.#closed.values())
      if (signals.includes(segment.signal)) add(held, segment.since);
    for (const signal of signals) {
      const { held, since } = this.#logs.get(signal) ?? {};
      if (held !== undefined && since !== undefined) add(held, since);
    }
    return found;
  }

  /** Rejects further appends and closes. Closed segments stay for the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#poll);
    await Promise.all([...this.#logs.values()].map((log) => log.closeOpen()));
  }

  #onClosed(segment: Segment, held: HeldItems | undefined): void {
    this.#closed.set(segment.id, { segment, held });
    this.#closedBytes += segment.bytes;
    this.#options.onClosed(segment);
  }

  #totalBytes() {
    return this.#closedBytes + sum(this.#logs, (log) => log.bytes);
  }

  #fullReason(more: number): WalFull['reason'] | undefined {
    if (this.#stopped) return 'stopped';
    if (this.#diskFull || this.#freeBytes - more < this.#options.minFreeBytes) return 'disk';
    return this.#totalBytes() + more > this.#options.maxBytes ? 'cap' : undefined;
  }

  #forget(id: string): Segment | undefined {
    const segment = this.#closed.get(id)?.segment;
    if (segment !== undefined) this.#closedBytes -= segment.bytes;
    this.#closed.delete(id);
    return segment;
  }
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
