/**
 * What a point has beyond milliseconds and beyond 53 bits, in columns beside those of before: nothing that is stored is written anew, and
 * older rows have zeros, which is what they were cut to. A part without any takes no bytes for them.
 *
 * `time` keeps its type, since it is in the order key. The nanoseconds follow it there, so that points are read in the order of their moments.
 */
const ofTime = `nanos UInt32 COMMENT 'nanoseconds after time' CODEC(T64, ZSTD(1))`;
const ofStart = (name: string) => `${name}_nanos UInt32 COMMENT 'nanoseconds after ${name}_time' CODEC(T64, ZSTD(1))`;
const integer = `integer Int64 COMMENT 'the value, if it is an integer beyond 2^53; otherwise 0' CODEC(ZSTD(1))`;

const added = (table: string, column: string) => `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${column}`;
/** A column can be added to the order key only by the statement that creates it. */
const ordered = (table: string) => `${added(table, ofTime)}, MODIFY ORDER BY (workspace, metric, series, time, nanos)`;

export const exactPoints0029 = {
  id: 29,
  name: 'exact-points',
  statements: [
    ...['metric_points', 'metric_histograms'].flatMap((table) => [ordered(table), added(table, ofStart('start'))]),
    added('metric_points', integer),
    added('exemplars', ofTime),
    added('exemplars', integer),
    added('metric_rollups', ofStart('start')),
    added('metric_rollups', ofStart('last_start')),
  ],
} as const;
