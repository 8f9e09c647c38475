/** Rows that arrive later than this after their time are not shown. */
export const latenessNs = 30_000_000_000n;
/** Longest span that is shown. */
export const longestSpanNs = 300_000_000_000n;
const defaultBacklogNs = 10_000_000_000n;
/** Rows per poll; of more, the newest are shown and the rest is reported as dropped. */
export const maxRowsOfLook = 500;

/** A row of a poll, with its identity and its time. */
export interface SeenRow<Row> {
  readonly key: string;
  readonly timeNs: bigint;
  readonly row: Row;
}

/** What a poll has read. */
export interface Look<Row> {
  /** The newest first. */
  readonly rows: readonly SeenRow<Row>[];
  /** Whether older rows were left out. */
  readonly isFull: boolean;
  /** Times of the newest and the oldest row that was read; undefined without rows. */
  readonly newestNs: bigint | undefined;
  readonly oldestNs: bigint | undefined;
}

/** @param rows the newest first, at most one more than are shown */
export function lookOf<Row>(rows: readonly SeenRow<Row>[]): Look<Row> {
  const shown = rows.slice(0, maxRowsOfLook);
  return {
    rows: shown,
    isFull: rows.length > shown.length,
    newestNs: shown[0]?.timeNs,
    oldestNs: shown.at(-1)?.timeNs,
  };
}

/** Start of a poll: it reads again the time in which rows may arrive late, but never before the start of the stream. */
export function lookFrom(startNs: bigint, nowNs: bigint): bigint {
  const late = nowNs - latenessNs;
  return late > startNs ? late : startNs;
}

/** Start of a stream: the resumed or requested position, but no earlier than late rows may arrive. */
export function startOf(
  asked: { readonly fromNs: bigint | undefined; readonly lastEventId: string | undefined },
  nowNs: bigint,
): bigint {
  const { fromNs, lastEventId } = asked;
  const resumed = lastEventId !== undefined && /^\d{1,19}$/.test(lastEventId) ? BigInt(lastEventId) + 1n : undefined;
  const start = resumed ?? fromNs ?? nowNs - defaultBacklogNs;
  const earliest = nowNs - latenessNs;
  return start < earliest ? earliest : start > nowNs ? nowNs : start;
}

/**
 * Distinguishes new rows from shown ones without ids: equal rows are counted, and those beyond the earlier count are
 * new. Rows older than the reach of polls are forgotten.
 */
export class Seen<Row> {
  #counts = new Map<string, { count: number; timeNs: bigint }>();
  #newestNs: bigint | undefined;

  /** Time of the newest row that was read. */
  get newestNs(): bigint | undefined {
    return this.#newestNs;
  }
  get size(): number {
    return this.#counts.size;
  }

  /** Returns the new rows of a poll, by time. */
  take(rows: readonly SeenRow<Row>[]): SeenRow<Row>[] {
    const here = new Map<string, number>();
    const fresh = rows.filter(({ key, timeNs }) => {
      const count = (here.get(key) ?? 0) + 1;
      here.set(key, count);
      const known = this.#counts.get(key);
      if (known !== undefined && known.count >= count) return false;
      this.#counts.set(key, { count, timeNs });
      if (this.#newestNs === undefined || timeNs > this.#newestNs) this.#newestNs = timeNs;
      return true;
    });
    return fresh.sort((a, b) => (a.timeNs < b.timeNs ? -1 : a.timeNs > b.timeNs ? 1 : 0));
  }

  /** Notes a row that was read, shown or not. */
  reach(timeNs: bigint | undefined): void {
    if (timeNs !== undefined && (this.#newestNs === undefined || timeNs > this.#newestNs)) this.#newestNs = timeNs;
  }

  forget(beforeNs: bigint): void {
    for (const [key, { timeNs }] of this.#counts) if (timeNs < beforeNs) this.#counts.delete(key);
  }
}

/**
 * The time range that a full poll does not show: after the newest row of earlier polls, up to the oldest of this one.
 */
export function skipped(
  look: { readonly oldestNs: bigint; readonly fromNs: bigint },
  newestBeforeNs: bigint | undefined,
): { fromNs: bigint; toNs: bigint } | undefined {
  const after = newestBeforeNs === undefined ? look.fromNs : newestBeforeNs + 1n;
  const fromNs = after > look.fromNs ? after : look.fromNs;
  return fromNs < look.oldestNs ? { fromNs, toNs: look.oldestNs } : undefined;
}
