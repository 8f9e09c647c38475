import { type Scan, STORED_TIME, type Window } from '../plan/plan.ts';
import { int64, integer, type Sql, sql } from '../sql/sql.ts';

const MILLISECOND_NS = 1_000_000n;

/** The window that a scan reads. If the scan is shifted, it is earlier than the window of the result. */
export function shiftedWindow({ window: { fromNs, toNs }, shiftNs = 0n }: Scan): Window {
  return { fromNs: fromNs - shiftNs, toNs: toNs - shiftNs };
}

/** Times of points, each stored as milliseconds (`time`, which is in the order key) and what is left of them in nanoseconds. */
const MOMENTS: Readonly<Record<string, string>> = {
  time: 'nanos',
  start_time: 'start_nanos',
  last_start_time: 'last_start_nanos',
};
/** Slots of roll-ups begin at whole seconds. */
const ROLL_UPS: Readonly<Record<string, string>> = { nanos: 'toUInt32(0)', integer: 'toInt64(0)' };

/** A column of a scan as SQL. An unknown time (0) stays 0 where points are moved in time. */
export function columnText(name: string, { table, shiftNs = 0n }: Scan): string {
  if (!isOfPoints(table)) return name;
  if (name === STORED_TIME) return 'time';
  const rest = MOMENTS[name];
  if (table === 'metric_rollups' && rest === 'nanos') return `toDateTime64(time, 9, 'UTC')`;
  if (rest === undefined) return (table === 'metric_rollups' && ROLL_UPS[name]) || name;
  const later =
    shiftNs === 0n ? '' : ` + ${shiftNs}${rest === 'nanos' ? '' : ` * (${name} != toDateTime64(0, 3, 'UTC'))`}`;
  return `fromUnixTimestamp64Nano(toUnixTimestamp64Milli(${name}) * 1000000 + ${rest}${later}, 'UTC')`;
}

function isOfPoints(table: Scan['table']): boolean {
  return (
    table === 'metric_points' || table === 'metric_histograms' || table === 'metric_rollups' || table === 'exemplars'
  );
}

/** The window is half-open in every precision. */
export function windowOf({ table, window }: Scan): Sql[] {
  const { fromNs, toNs } = window;
  switch (table) {
    case 'logs':
    case 'spans':
    case 'profile_samples':
    case 'changes':
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
    case 'metric_rollups':
      return [millisecondsIn(ceilMilliseconds(fromNs), ceilMilliseconds(toNs))];
    case 'metric_points':
    case 'metric_histograms':
    case 'exemplars':
      return [
        millisecondsIn(fromNs / MILLISECOND_NS, ceilMilliseconds(toNs)),
        ...besideMillisecond(fromNs, (rest) => sql`nanos >= ${integer(rest)}`),
        ...besideMillisecond(toNs, (rest) => sql`nanos < ${integer(rest)}`),
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

/** Milliseconds since the epoch, half-open. */
function millisecondsIn(from: bigint, to: bigint): Sql {
  const at = (milliseconds: bigint) => sql`fromUnixTimestamp64Milli(${int64(milliseconds)}, 'UTC')`;
  return sql`time >= ${at(from)} AND time < ${at(to)}`;
}

/** Of the millisecond that an end of the window divides, only the points on its side; nothing if it divides none. */
function besideMillisecond(end: bigint, isInside: (rest: bigint) => Sql): Sql[] {
  const rest = end % MILLISECOND_NS;
  if (rest === 0n) return [];
  return [sql`(time != fromUnixTimestamp64Milli(${int64(end / MILLISECOND_NS)}, 'UTC') OR ${isInside(rest)})`];
}

function ceilMilliseconds(nanoseconds: bigint): bigint {
  return (nanoseconds + MILLISECOND_NS - 1n) / MILLISECOND_NS;
}
