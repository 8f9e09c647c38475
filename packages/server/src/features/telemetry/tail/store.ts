import { createHash } from 'node:crypto';
import type { ResultValue } from '@fanion/oql';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { formatNs, parseTime } from '../../../platform/time-window.ts';
import type { ConditionSource } from '../query/index.ts';
import { type Look, longestSpanNs, lookOf, maxRowsOfLook } from './rules.ts';

export type TailRow = Readonly<Record<string, ResultValue>>;

/** Reads matching rows. */
export interface TailQuery<Row> {
  /** The newest rows with a time in `[fromNs, toNs)`. */
  look(fromNs: bigint, toNs: bigint, nowMs: number, signal: AbortSignal): Promise<Look<Row>>;
  /** Number of matching rows; a sampled span counts for all that it represents. */
  count(fromNs: bigint, toNs: bigint, signal: AbortSignal): Promise<number>;
}

/** The first column is the time by which rows are ordered. */
export const columnsOf: Readonly<Record<ConditionSource, readonly string[]>> = {
  logs: ['time', 'severity', 'service.name', 'body', 'trace_id', 'span_id', 'environment', 'attributes', 'resource'],
  spans: [
    ...['end', 'time', 'duration', 'service.name', 'name', 'kind', 'status', 'trace_id', 'span_id', 'parent_span_id'],
    ...['environment', 'attributes', 'resource'],
  ],
};

/** @param condition validated, in parentheses */
export function createTailQuery(
  gateway: Pick<Gateway, 'ask'>,
  scope: TelemetryScope,
  source: ConditionSource,
  condition: string,
): TailQuery<TailRow> {
  const columns = columnsOf[source];
  const arrival = columns[0] ?? 'time';
  const ask = async (fromNs: bigint, toNs: bigint, stages: string, signal: AbortSignal) => {
    const within = `${arrival} >= ${formatNs(fromNs)} and ${arrival} < ${formatNs(toNs)}`;
    const oql = `${source} | where ${within} and ${condition} | ${stages}`;
    // Spans are stored by their start time.
    const window = { fromNs: source === 'spans' ? fromNs - longestSpanNs : fromNs, toNs };
    // One row more than is shown indicates that some are left out.
    const { rows } = await gateway.ask(
      scope,
      { oql, window, limit: maxRowsOfLook + 1 },
      { lane: 'interactive', signal },
    );
    return rows;
  };
  return {
    async look(fromNs, toNs, nowMs, signal) {
      const rows = await ask(fromNs, toNs, `sort -${arrival} | fields ${columns.join(', ')}`, signal);
      return lookOf(
        rows.map((values) => ({
          key: rowKey(values),
          timeNs: parseTime(String(values[0]), arrival, nowMs),
          row: Object.fromEntries(columns.map((name, at) => [name, values[at] ?? null])),
        })),
      );
    },
    async count(fromNs, toNs, signal) {
      const [row] = await ask(fromNs, toNs, 'stats n=count()', signal);
      return Number(row?.[0] ?? 0);
    },
  };
}

/** Distinguishes rows, which have no ids. */
export function rowKey(values: unknown): string {
  return createHash('sha1').update(JSON.stringify(values)).digest('base64');
}
