import { createHash } from 'node:crypto';
import { decodeRow, type ResultValue } from '@fanion/oql';
import type { ScopedTelemetry, TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { formatNs, parseTime } from '../../../platform/time-window.ts';
import { type ConditionSource, compileFor } from '../query/index.ts';
import { longestSpanNs, maxRowsOfLook, type SeenRow } from './rules.ts';

export type TailRow = Readonly<Record<string, ResultValue>>;

/** Asks what matches; the first column is the time by which rows arrive. */
export interface TailQuery {
  readonly columns: readonly string[];
  /** The newest of what has a time in `[fromNs, toNs)`, and one more than is shown at most. */
  look(fromNs: bigint, toNs: bigint, nowMs: number, signal: AbortSignal): Promise<SeenRow<TailRow>[]>;
  /** How many there are; sampled spans count for all that they stand for. */
  count(fromNs: bigint, toNs: bigint, nowMs: number, signal: AbortSignal): Promise<number>;
}

const columnsOf: Readonly<Record<ConditionSource, readonly string[]>> = {
  logs: ['time', 'severity', 'service.name', 'body', 'trace_id', 'span_id', 'environment', 'attributes', 'resource'],
  spans: [
    ...['end', 'time', 'duration', 'service.name', 'name', 'kind', 'status', 'trace_id', 'span_id', 'parent_span_id'],
    ...['environment', 'attributes', 'resource'],
  ],
};

/** @param condition checked, in brackets */
export function createTailQuery(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  source: ConditionSource,
  condition: string,
): TailQuery {
  const columns = columnsOf[source];
  const arrival = columns[0] ?? 'time';
  const where = (fromNs: bigint, toNs: bigint) =>
    `${source} | where ${arrival} >= ${formatNs(fromNs)} and ${arrival} < ${formatNs(toNs)} and ${condition}`;
  const compiled = (text: string, fromNs: bigint, toNs: bigint, nowMs: number) =>
    // Spans are kept by their beginning.
    compileFor(text, {
      scope,
      window: { fromNs: source === 'spans' ? fromNs - longestSpanNs : fromNs, toNs },
      limit: maxRowsOfLook,
      nowMs,
    });
  return {
    columns,
    async look(fromNs, toNs, nowMs, signal) {
      const text = `${where(fromNs, toNs)} | sort -${arrival} | fields ${columns.join(', ')}`;
      const query = compiled(text, fromNs, toNs, nowMs);
      const rows = await telemetry.rows<Record<string, unknown>>(
        scope,
        query.sql,
        query.values,
        signal,
        query.settings,
      );
      return rows.map((row) => {
        const values = decodeRow(
          query.columns,
          query.columns.map((_, at) => row[`r${at + 1}`]),
        );
        const text = JSON.stringify(values);
        return {
          key: createHash('sha1').update(text).digest('base64'),
          timeNs: parseTime(String(values[0]), arrival, nowMs),
          row: Object.fromEntries(columns.map((name, at) => [name, values[at] ?? null])),
        };
      });
    },
    async count(fromNs, toNs, nowMs, signal) {
      const query = compiled(`${where(fromNs, toNs)} | stats n=count()`, fromNs, toNs, nowMs);
      const [row] = await telemetry.rows<{ r1: number | string }>(
        scope,
        query.sql,
        query.values,
        signal,
        query.settings,
      );
      return Number(row?.r1 ?? 0);
    },
  };
}
