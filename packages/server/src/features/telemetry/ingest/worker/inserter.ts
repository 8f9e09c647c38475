import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Block } from '@fanion/telemetry';
import { isDescription, type TelemetryTable, tableColumns } from '@fanion/telemetry';
import { type ClickHouse, isBadRows } from '../../../../platform/clickhouse/index.ts';
import { messageOf } from '../../../../platform/message-of.ts';

/** Two inserts keep the store busy while the next block is transcoded; more would only use memory. */
const PARALLEL_INSERTS = 2;
/**
 * The blocks of inserts beside each other, unless one is larger alone. The embedded engine takes four times as much for a block of spans: two of
 * 64 MiB left nothing of its default share to queries and merges (docs/decisions/0108-one-setting-for-memory.md).
 */
const BYTES_TOGETHER = 72 * 1024 ** 2;
/** Of a block that is not made yet: more than one for a small engine, less than one of spans or log records otherwise. */
const EXPECTED_BYTES = 40 * 1024 ** 2;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
/** How often rejected rows are retried, in case the store was at fault. */
const BAD_ROWS_ATTEMPTS = 3;

export interface InserterOptions {
  store: ClickHouse;
  signal: AbortSignal;
  /** Called when the store starts to fail, and with `undefined` when it accepts inserts again. */
  onStore(error: string | undefined): void;
  /** Called for each insert that failed and will be repeated. */
  onRepeat(): void;
}

/** The outcome of a block. */
export type Inserted = { stored: true; seconds: number } | { stored: false; reason: string };

/** Inserts blocks into the store, with as many retries as needed. Deduplication tokens make retries harmless. */
export class Inserter {
  readonly #options: InserterOptions;
  #running = 0;
  /** Of the blocks of running inserts. */
  #bytes = 0;
  #waiting: { readonly bytes: number; begin(): void }[] = [];
  #watching: (() => void)[] = [];
  #failing = false;

  constructor(options: InserterOptions) {
    this.#options = options;
  }

  /**
   * Resolves when an insert could start. A block that is made only then gets the buffer of one that was stored; made before, it would
   * take as much memory again while it waits.
   */
  async ready(): Promise<void> {
    while (!this.#hasRoom(EXPECTED_BYTES)) {
      await new Promise<void>((resolve) => this.#watching.push(resolve));
      // What waits for the insert that ended, and gives its buffer back, runs first.
      await nextTurn();
    }
  }

  /**
   * Resolves as soon as an insert may start, with a promise for its end, so the caller continues transcoding while the
   * store works, but never gets far ahead of it.
   */
  async begin(segmentId: string, block: Block): Promise<{ done: Promise<Inserted> }> {
    const bytes = block.body.length;
    await new Promise<void>((resolve) => {
      this.#waiting.push({ bytes, begin: resolve });
      this.#beginWaiting();
    });
    const done = this.#insert(segmentId, block).finally(() => {
      this.#running--;
      this.#bytes -= bytes;
      this.#beginWaiting();
      for (const resolve of this.#watching.splice(0)) resolve();
    });
    return { done };
  }

  #hasRoom(bytes: number): boolean {
    return this.#running === 0 || (this.#running < PARALLEL_INSERTS && this.#bytes + bytes <= BYTES_TOGETHER);
  }

  #beginWaiting(): void {
    for (let [next] = this.#waiting; next !== undefined && this.#hasRoom(next.bytes); [next] = this.#waiting) {
      this.#waiting.shift();
      this.#running++;
      this.#bytes += next.bytes;
      next.begin();
    }
  }

  async #insert(segmentId: string, block: Block): Promise<Inserted> {
    const { store, signal } = this.#options;
    const token = tokenOf(segmentId, block);
    for (let attempt = 1; ; attempt++) {
      const began = performance.now();
      try {
        const columns = tableColumns[block.table as TelemetryTable];
        await store.insert(block.table, columns, block.format, block.body, { token, signal });
        this.#report(undefined);
        return { stored: true, seconds: (performance.now() - began) / 1_000 };
      } catch (error) {
        signal.throwIfAborted();
        const message = messageOf(error);
        if (isBadRows(error) && attempt >= BAD_ROWS_ATTEMPTS) return { stored: false, reason: message };
        this.#report(message);
        this.#options.onRepeat();
        await delay(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10)), undefined, { signal });
      }
    }
  }

  #report(error: string | undefined): void {
    const isFailing = error !== undefined;
    if (isFailing === this.#failing) return;
    this.#failing = isFailing;
    this.#options.onStore(error);
  }
}

/**
 * A token that is always the same for the same rows. Which series and stacks a segment describes depends on what this
 * process has described before, so the tokens of those blocks come from their content: a replay with other block
 * boundaries loses nothing, and the table merges duplicates.
 */
function tokenOf(segmentId: string, block: Block): string {
  const token = `${segmentId}/${block.table}/${block.number}`;
  return isDescription(block.table) ? `${token}/${crc32(block.body).toString(16)}` : token;
}
