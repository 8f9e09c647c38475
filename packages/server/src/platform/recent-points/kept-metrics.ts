import type { Transferable } from 'node:worker_threads';
import { answerRecent, type RecentQuestion } from '@fanion/oql/recent';
import { type Block, describesOthers, eachPoint, pointsOf } from '@fanion/telemetry';
import { idleMs, keyOf, marginMs, type Place } from './keeping-rules.ts';
import { MetricPoints } from './metric-points.ts';

/** A question to the ingest worker. */
export interface RecentJob {
  readonly workspace: number;
  readonly question: RecentQuestion;
  /** Most rows. */
  readonly limit: number;
  readonly nowMs: number;
}

export interface RecentRows {
  /** The rows as a JSON array of arrays, in the form in which the engine sends them: reading it takes less than a structured clone. */
  readonly text: string;
  readonly points: number;
}

interface Kept {
  readonly place: Place;
  readonly points: MetricPoints;
  readonly reachMs: number;
  /** The number of the load that reads it. */
  readonly load: number;
  isWhole: boolean;
  askedAt: number;
}

/** Longer answers come from the engine: they are read piece by piece, without holding up the main thread. */
const longestText = 2 * 1024 ** 2;

/** What the main thread calls in the ingest worker. `begin` returns when all that was handed over before is stored. */
export type RecentCalls = Omit<KeptMetrics, 'blockBegins' | 'blockRejected'>;
export type CallRecent = <Name extends keyof RecentCalls>(
  name: Name,
  args: Parameters<RecentCalls[Name]>,
  transfer?: readonly Transferable[],
) => Promise<ReturnType<RecentCalls[Name]>>;

/**
 * The metrics whose recent points are in memory. What is here of a metric is all that the store has since {@link MetricPoints.fromMs}, or
 * questions about it are not answered.
 */
export class KeptMetrics {
  /** In the order of the last question. */
  readonly #metrics = new Map<string, Kept>();

  /** Begins with a metric; what was kept of it is dropped. @param reachMs how long its points are kept */
  begin(place: Place, load: number, { reachMs, nowMs }: { readonly reachMs: number; readonly nowMs: number }): void {
    const points = new MetricPoints(nowMs - reachMs);
    this.#metrics.delete(keyOf(place));
    this.#metrics.set(keyOf(place), { place, points, reachMs, load, isWhole: false, askedAt: nowMs });
  }

  /** Rows of `readPoints`. */
  add(place: Place, load: number, rows: Uint8Array): void {
    const points = this.#loading(place, load)?.points;
    for (const point of points ? pointsOf(rows) : []) if (!points?.add(point)) this.#metrics.delete(keyOf(place));
  }

  /** Rows of `readSeries`, after all points. @returns whether the metric can be asked for now */
  describe(place: Place, load: number, rows: Uint8Array): boolean {
    const kept = this.#loading(place, load);
    if (kept === undefined) return false;
    kept.isWhole = kept.points.describe(Buffer.from(rows.buffer));
    if (!kept.isWhole) this.#metrics.delete(keyOf(place));
    return kept.isWhole;
  }

  drop(place: Place): void {
    this.#metrics.delete(keyOf(place));
  }

  /** Drops what nobody asks for or does not fit, and points that are too old. @returns bytes of all */
  tidy(nowMs: number, maxBytes: number): number {
    let bytes = 0;
    for (const [key, { points, askedAt, reachMs }] of [...this.#metrics].reverse()) {
      points.trim(nowMs - reachMs - marginMs);
      const size = points.bytes;
      if (nowMs - askedAt > idleMs + marginMs || bytes + size > maxBytes) this.#metrics.delete(key);
      else bytes += size;
    }
    return bytes;
  }

  /** Or why there are no rows: the metric is kept no longer, has points of series that were not read yet, or needs the engine. */
  answer({ workspace, question, limit, nowMs }: RecentJob): RecentRows | 'gone' | 'undescribed' | 'unknown' {
    const key = keyOf({ workspace, metric: question.metric });
    const kept = this.#metrics.get(key);
    if (!kept?.isWhole || question.fromMs < kept.points.fromMs) return 'gone';
    this.#metrics.delete(key);
    this.#metrics.set(key, kept);
    kept.askedAt = nowMs;
    if (!kept.points.isDescribed) return 'undescribed';
    const answer = answerRecent(question, kept.points, limit);
    const text = JSON.stringify(answer?.rows);
    return answer === undefined || text.length > longestText ? 'unknown' : { text, points: answer.points };
  }

  /** The insert of a block begins: so a point is never found later in memory than in the store. */
  blockBegins(block: Block): void {
    if (this.#metrics.size === 0) return;
    // Series are stored before their points: of one that is a histogram, nothing would come here.
    if (block.table === 'metric_series')
      for (const [key, { place }] of this.#metrics) if (describesOthers(block, place.metric)) this.#metrics.delete(key);
    if (block.table !== 'metric_points') return;
    try {
      const names = new Set([...this.#metrics.values()].map(({ place }) => place.metric));
      eachPoint(
        block,
        (name) => names.has(name),
        (workspace, metric, point) => {
          const key = keyOf({ workspace, metric });
          if (this.#metrics.get(key)?.points.add(point) === false) this.#metrics.delete(key);
        },
      );
    } catch {
      // Its points may be missing. Ingest continues, and metrics are loaded again when they are queried.
      this.#metrics.clear();
    }
  }

  /** The store rejected a block. Metrics are loaded again when they are queried, whether or not the block had their rows. */
  blockRejected({ table }: Block): void {
    if (table === 'metric_points' || table === 'metric_series') this.#metrics.clear();
  }

  #loading(place: Place, load: number): Kept | undefined {
    const kept = this.#metrics.get(keyOf(place));
    return kept?.load === load ? kept : undefined;
  }
}
