import type { Prepared, WalEntry } from '@fanion/telemetry';
import { BufferPool, refuseMore, SegmentTranscoder, SeriesCache } from '@fanion/telemetry';
import { SERIES_LIMIT_REASON } from './series-budget.ts';

/** Inputs for checking the points of a project near its budget. */
export interface SeriesLimit {
  readonly workspace: number;
  readonly project: number;
  readonly environment: string;
  readonly retentionDays: number;
  readonly receivedAt: number;
  /** Series that a project may have in a day. */
  readonly perDay: number;
}

/** Maximum number of projects near their budgets at the same time; 16 bytes for each of their series. */
const MAX_PROJECTS = 4;
const DAY_MS = 86_400_000;

interface Admitted {
  day: number;
  series: SeriesCache;
  count: number;
}

/**
 * Decides, before points are acknowledged, which ones a project near its budget may still send: those of series known
 * today, and of new series until the budget is used up. The log keeps the decision with the request, so a replay makes the
 * same rows. The judge runs beside the transcoder, which holds the known series in memory.
 */
export class SeriesJudge {
  readonly #described: SeriesCache;
  readonly #projects = new Map<number, Admitted>();

  /** @param described the series that the transcoder has described. */
  constructor(described: SeriesCache) {
    this.#described = described;
  }

  /** Adds the positions of points beyond the budget to the rejected ones. */
  judge(prepared: Prepared, limit: SeriesLimit): Prepared {
    const { body, encoding, outcome } = prepared;
    const admitted = this.#admittedOf(limit);
    const entry: WalEntry = {
      ...limit,
      signal: 'metrics',
      encoding,
      ...outcome,
      refused: Uint32Array.from(outcome.refused),
      body,
    };
    const beyond: number[] = [];
    new SegmentTranscoder(this.#described, new BufferPool()).eachSeries(entry, (index, low, high, partition) => {
      if (admitted.series.has(low, high, partition)) return;
      if (admitted.count >= limit.perDay && !this.#described.has(low, high, partition)) {
        beyond.push(index);
        return;
      }
      admitted.series.add(low, high, partition);
      admitted.count++;
    });
    if (beyond.length === 0) return prepared;
    return refuseMore(prepared, {
      ...outcome,
      refused: [...outcome.refused, ...beyond].sort((a, b) => a - b),
      reasons: new Map([...outcome.reasons, [SERIES_LIMIT_REASON, beyond.length]]),
    });
  }

  #admittedOf({ project, receivedAt, perDay }: SeriesLimit): Admitted {
    const day = Math.floor(receivedAt / DAY_MS);
    const known = this.#projects.get(project);
    if (known !== undefined && known.day === day) return known;
    this.#projects.delete(project);
    const [oldest] = this.#projects.keys();
    if (this.#projects.size >= MAX_PROJECTS && oldest !== undefined) this.#projects.delete(oldest);
    const admitted = { day, series: new SeriesCache(2 ** Math.ceil(Math.log2(perDay * 2 + 2))), count: 0 };
    this.#projects.set(project, admitted);
    return admitted;
  }
}
