import { setTimeout as delay } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Block } from '@fanion/telemetry';
import { type TelemetryTable, tableColumns } from '@fanion/telemetry';
import { type ClickHouse, isBadRows } from '../../../../platform/clickhouse/index.ts';

/** Two keep the store busy while the next block is transcoded; more would only hold memory. */
const PARALLEL_INSERTS = 2;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
/** Refused rows are tried again this often, in case the store was at fault. */
const BAD_ROWS_ATTEMPTS = 3;

export interface InserterOptions {
  store: ClickHouse;
  signal: AbortSignal;
  /** Told when the store begins to fail, and (`undefined`) when it takes inserts again. */
  onStore(error: string | undefined): void;
}

/** What became of a block. */
export type Inserted = { stored: true } | { stored: false; reason: string };

/** Brings blocks into the store, as often as it takes. Deduplication tokens make the repetitions harmless. */
export class Inserter {
  readonly #options: InserterOptions;
  #free = PARALLEL_INSERTS;
  #waiting: (() => void)[] = [];
  #failing = false;

  constructor(options: InserterOptions) {
    this.#options = options;
  }

  /**
   * Resolves as soon as an insert may begin, with the promise of its end: so the caller goes on transcoding while
   * the store works, but never gets far ahead of it.
   */
  async begin(segmentId: string, block: Block): Promise<{ done: Promise<Inserted> }> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free--;
    const done = this.#insert(segmentId, block).finally(() => {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    });
    return { done };
  }

  async #insert(segmentId: string, block: Block): Promise<Inserted> {
    const { store, signal } = this.#options;
    const token = tokenOf(segmentId, block);
    for (let attempt = 1; ; attempt++) {
      try {
        const columns = tableColumns[block.table as TelemetryTable];
        await store.insert(block.table, columns, block.format, block.body, { token, signal });
        this.#report(undefined);
        return { stored: true };
      } catch (error) {
        signal.throwIfAborted();
        const message = error instanceof Error ? error.message : String(error);
        if (isBadRows(error) && attempt >= BAD_ROWS_ATTEMPTS) return { stored: false, reason: message };
        this.#report(message);
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

/** Tables of descriptions, which are merged by what they describe. */
const described: ReadonlySet<string> = new Set(['metric_series', 'profile_stacks']);

/**
 * The same for the same rows, for ever. Which series and stacks are described in a segment depends on what this process
 * has described before, so those blocks are named by their content: a replay with other cuts then loses nothing, and what
 * comes twice is merged away by the table.
 */
function tokenOf(segmentId: string, block: Block): string {
  const token = `${segmentId}/${block.table}/${block.number}`;
  return described.has(block.table) ? `${token}/${crc32(block.body).toString(16)}` : token;
}
