import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Block, SeriesCache } from '@fanion/telemetry';
import {
  BufferPool,
  blockLimitsOf,
  currentDivision,
  isDescription,
  SegmentTranscoder,
  type WalEntry,
} from '@fanion/telemetry';
import { collectGarbage } from '../../../../platform/collect-garbage.ts';
import { messageOf } from '../../../../platform/message-of.ts';
import type { KeptMetrics } from '../../../../platform/recent-points/index.ts';
import { decodeEntry, divisionOf, type Segment } from '../../../../platform/wal/index.ts';
import { countedReason } from '../limits/refusals.ts';
import type { Inserted, Inserter } from './inserter.ts';
import { lossesOfBlock, lossOfEntry } from './losses.ts';
import type { LoadResult } from './protocol.ts';
import type { Quarantine } from './quarantine.ts';
import { type SegmentPart, SegmentReader } from './segment-reader.ts';

/** How long transcoding may block the thread while large bodies wait to be checked and the inserts' sockets need service. */
const SLICE_MS = 15;
/** Releases the large buffers after this long without a segment. */
const IDLE_MS = 5000;

/** Reads segments, converts them to rows and inserts these into the store. */
export class Loader {
  readonly #inserter: Inserter;
  readonly #quarantine: Quarantine;
  readonly #series: SeriesCache;
  readonly #pool = new BufferPool();
  readonly #reader = new SegmentReader();
  #turn: Promise<unknown> = Promise.resolve();
  /** Resolves when all descriptions whose inserts have started are stored, those of earlier segments included. */
  #described: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  readonly #recent: Pick<KeptMetrics, 'blockBegins' | 'blockRejected'>;
  readonly #loading = new Set<Promise<unknown>>();

  /** @param series the series that this process has described; shared with others. */
  constructor(
    inserter: Inserter,
    quarantine: Quarantine,
    series: SeriesCache,
    recent: Pick<KeptMetrics, 'blockBegins' | 'blockRejected'>,
  ) {
    this.#recent = recent;
    this.#series = series;
    this.#inserter = inserter;
    this.#quarantine = quarantine;
  }

  /**
   * Resolves when every row of the segment is acknowledged by the store or quarantined. Segments are transcoded one after
   * the other in the order of the calls; the inserts of one continue while the next is transcoded.
   */
  load(segment: Segment): Promise<LoadResult> {
    const loaded = this.#load(segment);
    this.#loading.add(loaded);
    const done = () => this.#loading.delete(loaded);
    loaded.then(done, done);
    return loaded;
  }

  /** Resolves when all segments that were handed in so far are stored or quarantined. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#loading);
  }

  async #load(segment: Segment): Promise<LoadResult> {
    const result: LoadResult = {
      rows: {},
      insertSeconds: [],
      begunSeries: [],
      points: [],
      quarantined: 0,
      quarantinedItems: 0,
      losses: [],
    };
    const transcoded = this.#turn.then(() => this.#transcode(segment, result));
    this.#turn = transcoded.catch(() => {
      // The caller for that segment gets the error; the next segment still runs.
    });
    await Promise.all(await transcoded);
    this.#releaseWhenIdle();
    return result;
  }

  /** Resolves when all inserts have started, with promises for their ends. */
  async #transcode(segment: Segment, result: LoadResult): Promise<Promise<void>[]> {
    let transcoder: SegmentTranscoder | undefined;
    const ends: Promise<void>[] = [];
    const rowsBefore = new Map<string, number>();
    const points = new Map<number, number>();
    const insert = async (blocks: Block[]) => {
      for (const block of blocks) {
        // A point is in no answer without its series.
        if (!isDescription(block.table)) await this.#described;
        this.#recent.blockBegins(block);
        const { done } = await this.#inserter.begin(segment.id, block);
        const first = rowsBefore.get(block.table) ?? 0;
        rowsBefore.set(block.table, first + block.rows);
        const end = done.then((inserted) => this.#finish(segment, block, first, inserted, result));
        // Awaited after the whole segment has been read.
        end.catch(() => {});
        ends.push(end);
        if (isDescription(block.table)) this.#described = Promise.allSettled([this.#described, end]);
      }
    };

    let index = 0;
    let sliceEnd = performance.now() + SLICE_MS;
    for await (const { payloads, damaged } of this.#reader.read(segment.path)) {
      for (const one of damaged) await this.#setDamagedAside(result, segment, one);
      for (const payload of payloads) {
        transcoder ??= this.#transcoderOf(segment, divisionOf(payload));
        let entry: WalEntry | undefined;
        try {
          entry = decodeEntry(payload);
          countPoints(points, entry);
          transcoder.add(entry);
        } catch (error) {
          const reason = messageOf(error);
          // An entry of unknown format counts as one item.
          const items = entry === undefined ? 1 : entry.items - entry.refused.length;
          await this.#setAside(result, items, segment, `entry-${index}`, payload, reason, { entry: index });
          if (entry !== undefined) result.losses.push(...lossOfEntry(entry, countedReason(reason)));
        }
        index++;
        if (transcoder.hasBlocks) {
          await this.#inserter.ready();
          await insert(transcoder.take());
        }
        if (performance.now() > sliceEnd) {
          await nextTurn();
          sliceEnd = performance.now() + SLICE_MS;
        }
      }
    }
    transcoder ??= this.#transcoderOf(segment, currentDivision);
    await this.#inserter.ready();
    const last = transcoder.finish();
    result.begunSeries = last.begunSeries;
    result.points = [...points];
    await insert(last.blocks);
    return ends;
  }

  async #setDamagedAside(
    result: LoadResult,
    segment: Segment,
    { range, bytes }: SegmentPart['damaged'][number],
  ): Promise<void> {
    const reason = 'checksum mismatch: the file was damaged after it was written';
    const details = { offset: range.start, bytes: bytes.length };
    await this.#setAside(result, 1, segment, `at-${range.start}`, bytes, reason, details);
  }

  #transcoderOf({ signal }: Segment, division: number): SegmentTranscoder {
    return new SegmentTranscoder(this.#series, this.#pool, blockLimitsOf(division, signal));
  }

  /** @param first number of rows of the table in the previous blocks */
  async #finish(segment: Segment, block: Block, first: number, inserted: Inserted, result: LoadResult): Promise<void> {
    const { table, number, rows, body } = block;
    if (inserted.stored) {
      result.rows[table] = (result.rows[table] ?? 0) + rows;
      result.insertSeconds.push(inserted.seconds);
    } else {
      this.#recent.blockRejected(block);
      await this.#setAside(result, rows, segment, `${table}-${number}`, body, inserted.reason, { table, rows });
      result.losses.push(...(await lossesOfBlock(segment.path, block, first, 'the telemetry store rejected the rows')));
    }
    this.#pool.give(table, body);
  }

  async #setAside(
    result: LoadResult,
    items: number,
    segment: Segment,
    name: string,
    bytes: Buffer,
    reason: string,
    details: Record<string, string | number>,
  ): Promise<void> {
    result.quarantined++;
    result.quarantinedItems += items;
    await this.#quarantine.put(`${segment.id}-${name}`, bytes, { reason, segment: segment.id, ...details });
  }

  #releaseWhenIdle(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      this.#pool.clear();
      this.#turn = this.#turn.then(() => {
        this.#reader.release();
        collectGarbage();
      });
    }, IDLE_MS).unref();
  }
}

function countPoints(points: Map<number, number>, { signal, project, items, refused }: WalEntry): void {
  if (signal === 'metrics') points.set(project, (points.get(project) ?? 0) + items - refused.length);
}
