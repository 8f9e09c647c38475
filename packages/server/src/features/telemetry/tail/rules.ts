/** Behind the present: what arrives later than this after its time is not shown. */
export const latenessNs = 30_000_000_000n;
/** Of a span; what began longer ago is not looked for. */
export const longestSpanNs = 300_000_000_000n;
const defaultBacklogNs = 10_000_000_000n;
/** Of one look; of more, the newest are shown and the rest is told as dropped. */
export const maxRowsOfLook = 500;

/** What a look brings: a row, what it is recognised by, and its time. */
export interface SeenRow<Row> {
  readonly key: string;
  readonly timeNs: bigint;
  readonly row: Row;
}

/** From where a look is to read: what may still arrive late is read again, but never what lies before the start. */
export function lookFrom(startNs: bigint, nowNs: bigint): bigint {
  const late = nowNs - latenessNs;
  return late > startNs ? late : startNs;
}

/** Where a stream begins: where it was left, or was asked to, as far as late rows reach. */
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
 * Tells new rows from those that were shown, without an id of their own: equal rows are counted, and as many of them are new
 * as there are more than before. What is older than looks go back is forgotten.
 */
export class Seen<Row> {
  #counts = new Map<string, { count: number; timeNs: bigint }>();
  #newestNs: bigint | undefined;

  /** Time of the newest row that was shown. */
  get newestNs(): bigint | undefined {
    return this.#newestNs;
  }
  get size(): number {
    return this.#counts.size;
  }

  /** Those of one look that are new, by time. */
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

  forget(beforeNs: bigint): void {
    for (const [key, { timeNs }] of this.#counts) if (timeNs < beforeNs) this.#counts.delete(key);
  }
}

/**
 * The part of time of which a look that was full does not show anything: after the newest row of the looks before, up to the
 * oldest of this one.
 */
export function skipped(
  look: { readonly rows: number; readonly oldestNs: bigint; readonly fromNs: bigint },
  newestBeforeNs: bigint | undefined,
): { fromNs: bigint; toNs: bigint } | undefined {
  if (look.rows <= maxRowsOfLook) return undefined;
  const after = newestBeforeNs === undefined ? look.fromNs : newestBeforeNs + 1n;
  const fromNs = after > look.fromNs ? after : look.fromNs;
  return fromNs < look.oldestNs ? { fromNs, toNs: look.oldestNs } : undefined;
}
