import { answerRecent, type RecentSeries } from '@fanion/oql/recent';
import { POINT_BYTES } from '@fanion/telemetry';
import type { HiddenPlace } from '../scoped-telemetry.ts';
import { keyOf, type Place } from './keeping-rules.ts';
import { isOf, isSince, MetricPoints } from './metric-points.ts';
import type { FromFeed, RecentJob, RecentRows } from './protocol.ts';

/** A metric whose rows are being read from the store. */
interface Loading {
  /** Rows that were sent while it was read: their series may not have been read yet. */
  readonly fed: Uint8Array[];
  series: Uint8Array[];
  /** The begin of a row, at the end of a piece. */
  rest: Uint8Array;
}

interface Kept {
  readonly place: Place;
  readonly points: MetricPoints;
  loading: Loading | undefined;
  reported: number;
}

/** The least change of size that is reported. */
const reportedBytes = 256 * 1024;
/** Longer answers come from the engine: they are read piece by piece, without holding up the main thread. */
const longestText = 2 * 1024 ** 2;
const NOTHING = new Uint8Array(0);

/**
 * The metrics whose recent points are in memory. What is here of a metric is all that the store has since {@link MetricPoints.fromMs}, or
 * questions about it are not answered.
 * @param now seconds of a clock that never goes back
 */
export function createKeptMetrics({ now }: { readonly now: () => number }) {
  const metrics = new Map<string, Kept>();
  let lost: Place[] = [];

  function drop(place: Place): void {
    if (metrics.delete(keyOf(place))) lost.push(place);
  }

  function add(kept: Kept, rows: Uint8Array): void {
    if (!kept.points.append(rows)) drop(kept.place);
  }

  return {
    begin(place: Place, fromMs: number): void {
      const points = new MetricPoints(fromMs);
      metrics.set(keyOf(place), {
        place,
        points,
        loading: { fed: [], series: [], rest: NOTHING },
        reported: 0,
      });
    },

    /** Rows that were read from the store. All series come before the first points. */
    read(place: Place, table: 'series' | 'points', bytes: Uint8Array): void {
      const kept = metrics.get(keyOf(place));
      if (kept?.loading === undefined) return;
      if (table === 'series') {
        kept.loading.series.push(bytes);
        return;
      }
      describeRead(kept.points, kept.loading);
      const rows = joined([kept.loading.rest, bytes]);
      const whole = rows.length - (rows.length % POINT_BYTES);
      kept.loading.rest = rows.slice(whole);
      add(kept, rows.subarray(0, whole));
    },

    /** @returns whether all rows are here */
    finish(place: Place): boolean {
      const kept = metrics.get(keyOf(place));
      if (kept?.loading === undefined) return false;
      const { loading, points } = kept;
      describeRead(points, loading);
      kept.loading = undefined;
      if (loading.rest.length > 0) drop(place);
      for (const rows of loading.fed) add(kept, rows);
      points.fit();
      return metrics.get(keyOf(place)) === kept;
    },

    /** Rows whose insert begins. */
    feed(message: FromFeed): void {
      if ('failed' in message) {
        for (const { place } of [...metrics.values()]) drop(place);
        return;
      }
      if ('rejected' in message) {
        drop(message.rejected);
        return;
      }
      const kept = metrics.get(keyOf(message));
      if (kept === undefined) return;
      if (message.rows === 'series') kept.points.describe(message.bytes);
      else if (kept.loading !== undefined) kept.loading.fed.push(message.bytes);
      else add(kept, message.bytes);
    },

    drop(place: Place): void {
      metrics.delete(keyOf(place));
    },

    trim(place: Place, fromMs: number): void {
      metrics.get(keyOf(place))?.points.trim(fromMs);
    },

    /** Drops the points of a removed place, and metrics that have no others. */
    remove(workspace: number, hidden: HiddenPlace): void {
      for (const { place, points } of [...metrics.values()])
        if (place.workspace === workspace && !points.remove(hidden)) drop(place);
    },

    /** Undefined if the points are not here, or the answer cannot be computed from them. */
    answer({ workspace, question, limit, hidden }: RecentJob): RecentRows | undefined {
      const kept = metrics.get(keyOf({ workspace, metric: question.metric }));
      if (kept === undefined || kept.loading !== undefined || question.fromMs < kept.points.fromMs) return undefined;
      const began = now();
      const series = visible(kept.points.series(), hidden);
      const answer = series && answerRecent(question, series, limit);
      if (answer === undefined) return undefined;
      const text = JSON.stringify(answer.rows);
      return text.length > longestText ? undefined : { text, points: answer.points, seconds: now() - began };
    },

    /** Metrics that were dropped since the last call since not all of their rows are here. */
    takeLost(): Place[] {
      const taken = lost;
      lost = [];
      return taken;
    },

    /** Metrics whose size has changed much since the last call. */
    takeResized(): (Place & { bytes: number })[] {
      return [...metrics.values()].flatMap((kept) => {
        const { loading, points, place } = kept;
        const waiting = loading === undefined ? [] : [...loading.fed, ...loading.series];
        const bytes = points.bytes + waiting.reduce((sum, { length }) => sum + length, 0);
        if (Math.abs(bytes - kept.reported) < (kept.reported === 0 ? 1 : reportedBytes)) return [];
        kept.reported = bytes;
        return [{ ...place, bytes }];
      });
    },
  };
}

/**
 * The series without those of removed places. Undefined if a series has points of before and after the removal of its environment, of
 * which the engine can tell the ones from the others.
 */
function visible(series: readonly RecentSeries[], hidden: readonly HiddenPlace[]): readonly RecentSeries[] | undefined {
  if (hidden.length === 0) return series;
  const seen: RecentSeries[] = [];
  for (const one of series) {
    const places = hidden.filter((place) => isOf(one, place));
    if (places.some(({ before }) => before === undefined)) continue;
    if (!places.every((place) => isSince(one, place))) return undefined;
    seen.push(one);
  }
  return seen;
}

/** Reads the rows of series once all of them have come. */
function describeRead(points: MetricPoints, loading: Loading): void {
  if (loading.series.length === 0) return;
  points.describe(joined(loading.series));
  loading.series = [];
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only, ...others] = pieces.filter(({ length }) => length > 0);
  return only !== undefined && others.length === 0 ? only : Buffer.concat(pieces);
}
