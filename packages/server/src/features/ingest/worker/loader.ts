import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeEntry, readFrames, type Segment } from '../../../platform/wal/index.ts';
import type { Block } from '../transcode/block.ts';
import { SegmentTranscoder } from '../transcode/segment.ts';
import { SeriesCache } from '../transcode/series-cache.ts';
import type { Inserted, Inserter } from './inserter.ts';
import type { LoadResult } from './protocol.ts';
import type { Quarantine } from './quarantine.ts';

/** How long transcoding may keep the thread from large bodies that wait to be judged, and from the inserts' sockets. */
const SLICE_MS = 15;

/** Reads segments, makes rows of them and brings them into the store. */
export class Loader {
  readonly #inserter: Inserter;
  readonly #quarantine: Quarantine;
  readonly #series = new SeriesCache();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(inserter: Inserter, quarantine: Quarantine) {
    this.#inserter = inserter;
    this.#quarantine = quarantine;
  }

  /**
   * Resolves when every row of the segment is acknowledged by the store or in quarantine. Segments are transcoded one
   * after the other in the order of the calls; the inserts of one run on while the next is transcoded.
   */
  async load(segment: Segment): Promise<LoadResult> {
    const transcoded = this.#turn.then(() => this.#transcode(segment));
    this.#turn = transcoded.catch(() => {});
    const { result, inserts } = await transcoded;
    for (const { block, done } of inserts) {
      const inserted = await done;
      if (inserted.stored) result.rows[block.table] = (result.rows[block.table] ?? 0) + block.rows;
      else {
        result.quarantined++;
        result.quarantinedItems += block.rows;
        await this.#quarantine.put(`${segment.id}-${block.table}-${block.number}`, block.body, {
          reason: inserted.reason,
          segment: segment.id,
          table: block.table,
          rows: block.rows,
        });
      }
    }
    return result;
  }

  async #transcode(segment: Segment): Promise<{ result: LoadResult; inserts: Pending[] }> {
    const content = await readFile(segment.path);
    const { payloads, damaged } = readFrames(content);
    const transcoder = new SegmentTranscoder(this.#series);
    const result: LoadResult = { rows: {}, arrivals: [], quarantined: 0, quarantinedItems: 0 };
    const inserts: Pending[] = [];
    const begin = async (blocks: Block[]) => {
      for (const block of blocks) {
        const { done } = await this.#inserter.begin(segment.id, block);
        inserts.push({ block: { ...block, body: block.body }, done });
      }
    };

    for (const { start, end } of damaged) {
      result.quarantined++;
      await this.#quarantine.put(`${segment.id}-at-${start}`, content.subarray(start, end), {
        reason: 'checksum mismatch: the file was damaged after it was written',
        segment: segment.id,
        offset: start,
        bytes: end - start,
      });
    }
    let sliceEnd = performance.now() + SLICE_MS;
    for (const [index, payload] of payloads.entries()) {
      try {
        transcoder.add(decodeEntry(payload));
      } catch (error) {
        result.quarantined++;
        result.quarantinedItems += itemsOf(payload);
        await this.#quarantine.put(`${segment.id}-entry-${index}`, payload, {
          reason: error instanceof Error ? error.message : String(error),
          segment: segment.id,
          entry: index,
        });
      }
      await begin(transcoder.take());
      if (performance.now() > sliceEnd) {
        await nextTurn();
        sliceEnd = performance.now() + SLICE_MS;
      }
    }
    const last = transcoder.finish();
    result.arrivals = last.arrivals;
    await begin(last.blocks);
    return { result, inserts };
  }
}

interface Pending {
  block: Block;
  done: Promise<Inserted>;
}

function itemsOf(payload: Buffer): number {
  try {
    return decodeEntry(payload).items;
  } catch {
    // An entry of unknown form is counted as one of something.
    return 1;
  }
}
