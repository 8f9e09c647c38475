import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { WalEntry, WalSignal } from '@fanion/telemetry';
import type { Disk } from './disk.ts';
import { encodeEntryHeader } from './entry.ts';
import { frameHeader } from './frame.ts';
import { HeldItems } from './held-items.ts';

/** A file of entries that is no longer written. */
export interface Segment {
  /** Globally unique, over all servers and restarts, since deduplication tokens derive from it. Sorts by creation. */
  id: string;
  signal: WalSignal;
  path: string;
  bytes: number;
  /** When the oldest of its entries was received, in milliseconds since the epoch. */
  since: number;
}

export interface SegmentLogOptions {
  dir: string;
  signal: WalSignal;
  disk: Disk;
  fsync: boolean;
  /** How segments are divided into blocks; see `divisionFor`. */
  division: number;
  /** A segment closes when it reaches one of these. */
  maxBytes: number;
  /** Only an entry that has more by itself is in a segment with more items. */
  maxItems: number;
  maxAgeMs: number;
  /** A segment with so many items also closes when nothing was written to it for so long. */
  quiet: { items: number; ms: number };
  onClosed(segment: Segment, held: HeldItems): void;
  /** Called after each sync with its duration. */
  onSync?: ((seconds: number) => void) | undefined;
}

export interface SegmentLogCounters {
  entries: number;
  writes: number;
  syncs: number;
}

interface Waiting {
  pieces: Uint8Array[];
  bytes: number;
  entry: Pick<WalEntry, 'workspace' | 'project' | 'items' | 'refused' | 'receivedAt'>;
  earliest: number;
  resolve(): void;
  reject(error: unknown): void;
}

interface OpenSegment extends Segment {
  fd: number;
  /** Resolves when it is closed. */
  readonly closed: Promise<void>;
  onClosed(): void;
  items: number;
  held: HeldItems;
}

/** Keeps the number of buffers below IOV_MAX (1024 on Linux), with three per entry. */
const GROUP_ENTRIES = 300;
let created = 0;

/**
 * The log of one signal. Entries that arrive during a write and its sync wait and share the next one, so the cost of a
 * sync is divided by the number of clients.
 */
export class SegmentLog {
  readonly counters: SegmentLogCounters = { entries: 0, writes: 0, syncs: 0 };
  readonly #options: SegmentLogOptions;
  #waiting: Waiting[] = [];
  /** Taken from those that wait, and not yet in a segment. */
  #writing: Waiting[] = [];
  #waitingBytes = 0;
  #open: OpenSegment | undefined;
  #age: NodeJS.Timeout | undefined;
  #quiet: NodeJS.Timeout | undefined;
  #closeDue = false;
  #running: Promise<void> | undefined;

  constructor(options: SegmentLogOptions) {
    this.#options = options;
  }

  /** Bytes of the open segment and of waiting entries. */
  get bytes(): number {
    return (this.#open?.bytes ?? 0) + this.#waitingBytes;
  }

  /** The acknowledged items of the open segment. */
  get held(): HeldItems | undefined {
    return this.#open?.held;
  }

  /** When the oldest entry that is not in a closed segment was received; undefined: there is none. */
  get since(): number | undefined {
    const times = [...this.#writing, ...this.#waiting].map(({ entry }) => entry.receivedAt);
    if (this.#open !== undefined) times.push(this.#open.since);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Resolves when the entry is on disk (or, without fsync, with the operating system). */
  append(entry: WalEntry, earliest: number): Promise<void> {
    const header = encodeEntryHeader(entry, this.#options.division);
    const frame = frameHeader([header, entry.body]);
    const bytes = frame.length + header.length + entry.body.length;
    this.#waitingBytes += bytes;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ pieces: [frame, header, entry.body], bytes, entry, earliest, resolve, reject });
      this.#run();
    });
  }

  /** Closes the open segment after all waiting entries are written. */
  async closeOpen(): Promise<void> {
    while (this.#open !== undefined || this.#waiting.length > 0 || this.#running !== undefined) {
      this.#closeDue = true;
      await this.#run();
    }
  }

  /** Closes the open segment after what is being written to it; entries that wait go into the next one. */
  async cut(): Promise<void> {
    const segment = this.#open;
    while (segment !== undefined && this.#open === segment) {
      this.#closeDue = true;
      await Promise.race([this.#run(), segment.closed]);
    }
  }

  #run(): Promise<void> {
    this.#running ??= this.#drain().finally(() => {
      this.#running = undefined;
      if (this.#waiting.length > 0) this.#run();
    });
    return this.#running;
  }

  async #drain(): Promise<void> {
    clearTimeout(this.#quiet);
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup();
      this.#writing = group;
      try {
        if (this.#open !== undefined && this.#open.items + itemsOf(group) > this.#options.maxItems) await this.#close();
        await this.#write(group);
        for (const waiting of group) waiting.resolve();
      } catch (error) {
        await this.#giveUpOpen();
        for (const waiting of group) waiting.reject(error);
      } finally {
        this.#writing = [];
      }
      if (this.#isFull() || this.#closeDue) await this.#close();
    }
    if (this.#closeDue) await this.#close();
    else this.#closeWhenQuiet();
  }

  #takeGroup(): Waiting[] {
    const { maxBytes, maxItems } = this.#options;
    let bytes = 0;
    let items = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      bytes += waiting.bytes;
      items += waiting.entry.items;
      if (count === GROUP_ENTRIES || (count > 0 && (bytes > maxBytes || items > maxItems))) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  /** The rows of a sender that has stopped need not wait until the segment is old. */
  #closeWhenQuiet(): void {
    const { items, ms } = this.#options.quiet;
    if (this.#open === undefined || this.#open.items < items) return;
    this.#quiet = setTimeout(() => {
      this.#closeDue = true;
      this.#run();
    }, ms);
  }

  async #write(group: Waiting[]): Promise<void> {
    const { disk, fsync } = this.#options;
    const bytes = group.reduce((sum, waiting) => sum + waiting.bytes, 0);
    try {
      const since = Math.min(...group.map(({ entry }) => entry.receivedAt));
      const segment = this.#open ?? (await this.#create(since));
      segment.since = Math.min(segment.since, since);
      await disk.write(
        segment.fd,
        group.flatMap((waiting) => waiting.pieces),
        segment.bytes,
      );
      this.counters.writes++;
      if (fsync) {
        const began = performance.now();
        await disk.sync(segment.fd);
        this.#options.onSync?.((performance.now() - began) / 1_000);
        this.counters.syncs++;
      }
      segment.bytes += bytes;
      segment.items += itemsOf(group);
      for (const { entry, earliest } of group)
        segment.held.add(entry.workspace, entry.project, entry.items - entry.refused.length, earliest);
      this.counters.entries += group.length;
    } finally {
      this.#waitingBytes -= bytes;
    }
  }

  async #create(since: number): Promise<OpenSegment> {
    const { dir, disk, signal, fsync, maxAgeMs } = this.#options;
    const id = newSegmentId(signal);
    const path = join(dir, `${id}.wal`);
    const fd = await disk.create(path);
    const segment: OpenSegment = {
      ...{ id, signal, path, bytes: 0, since, items: 0, held: new HeldItems(), fd },
      ...closing(),
    };
    this.#open = segment;
    if (fsync) await disk.syncDirectory(dirname(path));
    this.#age = setTimeout(() => {
      this.#closeDue = true;
      this.#run();
    }, maxAgeMs);
    return segment;
  }

  #isFull(): boolean {
    const { maxBytes, maxItems } = this.#options;
    return this.#open !== undefined && (this.#open.bytes >= maxBytes || this.#open.items >= maxItems);
  }

  async #close(): Promise<void> {
    const segment = this.#open;
    this.#closeDue = false;
    clearTimeout(this.#age);
    if (segment === undefined) return;
    this.#open = undefined;
    const { id, signal, path, bytes, since, held } = segment;
    // Before the file is closed: its entries count as open or as closed at every moment.
    this.#options.onClosed({ id, signal, path, bytes, since }, held);
    segment.onClosed();
    await this.#options.disk.close(segment.fd).catch(() => {
      // All acknowledged entries are already synced; a failed close loses nothing.
    });
  }

  /**
   * After a failed write or sync the pages may be marked clean although they never reached the disk (the "fsyncgate" of
   * 2018), so the file is truncated to its synced part and never written again.
   */
  async #giveUpOpen(): Promise<void> {
    const segment = this.#open;
    if (segment === undefined) return;
    await this.#options.disk.truncate(segment.fd, segment.bytes).catch(() => {
      // The reader stops at the unfinished entry; no acknowledged entry follows it.
    });
    await this.#close();
  }
}

function closing(): Pick<OpenSegment, 'closed' | 'onClosed'> {
  let onClosed = () => {};
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve;
  });
  return { closed, onClosed: () => onClosed() };
}

function itemsOf(group: readonly Waiting[]): number {
  return group.reduce((sum, waiting) => sum + waiting.entry.items, 0);
}

function newSegmentId(signal: WalSignal): string {
  created = (created + 1) % 0x10000;
  const time = Date.now().toString(16).padStart(12, '0');
  return `${signal}-${time}-${created.toString(16).padStart(4, '0')}-${randomBytes(6).toString('hex')}`;
}
