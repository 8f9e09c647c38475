import type { Scan, Window } from '../plan/plan.ts';
import { int64, type Sql, sql } from '../sql/sql.ts';

/** The window that a scan reads. If the scan is shifted, it is earlier than the window of the result. */
export function shiftedWindow({ window: { fromNs, toNs }, shiftNs = 0n }: Scan): Window {
  return { fromNs: fromNs - shiftNs, toNs: toNs - shiftNs };
}

/** Times of points have milliseconds; an unknown time (0) stays 0. */
export function shiftedName(name: string, { shiftNs = 0n }: Scan): string {
  if (shiftNs === 0n || (name !== 'time' && name !== 'start_time')) return name;
  const later = `(${name} + toIntervalMillisecond(${shiftNs / 1_000_000n}))`;
  return name === 'time' ? later : `if(toUnixTimestamp64Milli(${name}) = 0, ${name}, ${later})`;
}

/** The window is half-open in every precision: times in milliseconds are compared with the window rounded up. */
export function windowOf({ table, window }: Scan): Sql[] {
  const { fromNs, toNs } = window;
  switch (table) {
    case 'logs':
    case 'spans':
    case 'profile_samples':
    case 'flag_events': {
      const from = sql`fromUnixTimestamp64Nano(${int64(fromNs)}, 'UTC')`;
      const to = sql`fromUnixTimestamp64Nano(${int64(toNs)}, 'UTC')`;
      const exactly = [sql`time >= ${from}`, sql`time < ${to}`];
      if (!isInFiveMinutes(table)) return exactly;
      // `time` is also the last column of the order key. With it alone, the engine would read a whole day.
      return [
        ...exactly,
        sql`toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(${from})`,
        sql`toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(${to})`,
      ];
    }
    case 'metric_points':
    case 'metric_histograms':
    case 'metric_rollups':
    case 'exemplars':
      return [
        sql`time >= fromUnixTimestamp64Milli(${int64(ceilMilliseconds(fromNs))}, 'UTC')`,
        sql`time < fromUnixTimestamp64Milli(${int64(ceilMilliseconds(toNs))}, 'UTC')`,
      ];
    case 'field_usage': {
      const from = sql`fromUnixTimestamp64Nano(${int64(fromNs)}, 'UTC')`;
      return [
        // Names are counted per quarter of an hour, those of metrics per day.
        sql`bucket >= if(signal = 'metrics', toStartOfDay(${from}), toStartOfInterval(${from}, toIntervalMinute(15)))`,
        sql`bucket < fromUnixTimestamp64Nano(${int64(toNs)}, 'UTC')`,
      ];
    }
    case 'trace_index':
    case 'metric_series':
    case 'profile_stacks':
      return [
        sql`day >= toDate(fromUnixTimestamp64Nano(${int64(fromNs)}, 'UTC'))`,
        sql`day <= toDate(fromUnixTimestamp64Nano(${int64(toNs)}, 'UTC'))`,
      ];
  }
}

/** Tables whose order key has five-minute intervals right after the columns that every query fixes: the workspace, and for flags the flag. */
export function isInFiveMinutes(table: Scan['table']): boolean {
  return table === 'logs' || table === 'spans' || table === 'flag_events';
}

function ceilMilliseconds(nanoseconds: bigint): bigint {
  return (nanoseconds + 999_999n) / 1_000_000n;
}
