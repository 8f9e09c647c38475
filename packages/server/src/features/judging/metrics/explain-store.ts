import type { MetricDefinition } from '@fanion/contract';
import type { CompiledRelation } from '@fanion/oql';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { inScope, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import { numberColumns, rowColumns, rowsQuery } from './definition-rules.ts';
import { numberOf } from './metric-parts-store.ts';

const sampleRows = 20;

interface SampleRow {
  readonly time: number;
  readonly unit: string | null;
  readonly value: number | null;
  readonly denominator: number | null;
  readonly joined: 0 | 1;
}

interface Counts {
  readonly row_count: number;
  readonly with_unit: number;
  readonly joined: number;
  readonly not_numbers: number;
  readonly negative: number;
}

/** The latest rows of a metric, and how many of all its rows join to a unit that saw a flag (or this flag) in the window. */
export async function readSample(
  gateway: Gateway,
  scope: TelemetryScope,
  metric: MetricDefinition,
  { window, flag, signal }: { window: Window; flag: string | undefined; signal: AbortSignal },
): Promise<{ relation: CompiledRelation; sample: readonly SampleRow[]; counts: Counts }> {
  const columns = rowColumns(metric);
  const numbers = (relation: CompiledRelation) => ({
    value: numberOf(relation, columns.value),
    denominator: numberOf(relation, columns.denominator),
  });
  const ids =
    metric.unit === 'trace_id'
      ? `SELECT lower(hex(flag_events.trace_id)) FROM flag_events WHERE ${inScope(scope)} AND flag_events.unit != '' AND flag_events.trace_id != toFixedString('', 16)
          AND time >= fromUnixTimestamp64Nano({seen_from:Int64}, 'UTC') AND time < fromUnixTimestamp64Nano({seen_to:Int64}, 'UTC')${ofFlag(flag)}`
      : `SELECT exposures.unit FROM exposures WHERE ${inScope(scope)} AND exposures.day >= toDate(fromUnixTimestamp64Nano({seen_from:Int64}, 'UTC'))
          AND exposures.first_at < fromUnixTimestamp64Nano({seen_to:Int64}, 'UTC') AND exposures.last_at >= fromUnixTimestamp64Nano({seen_from:Int64}, 'UTC')${ofFlag(flag)}`;
  const params = { seen_from: String(window.fromNs), seen_to: String(window.toNs), seen_flag: flag ?? '' };
  const question = { rows: { oql: rowsQuery(metric), window, rows: true, numbers: numberColumns } };
  const budget = { lane: 'interactive', signal } as const;
  const isJoined = `toUInt8(r.${columns.unit} IS NOT NULL AND assumeNotNull(r.${columns.unit}) IN (${ids}))`;
  const [sample, counted] = await Promise.all([
    gateway.relate<SampleRow, 'rows'>(
      scope,
      question,
      ({ rows }) => {
        const { value, denominator } = numbers(rows);
        return {
          sql: `SELECT toFloat64(toUnixTimestamp64Milli(toDateTime64(assumeNotNull(r.${columns.time}), 3, 'UTC'))) AS time, r.${columns.unit} AS unit, ${value} AS value, ${denominator} AS denominator, ${isJoined} AS joined
            FROM (${rows.sql}) AS r WHERE r.${columns.time} IS NOT NULL ORDER BY r.${columns.time} DESC LIMIT ${sampleRows}`,
          params,
        };
      },
      budget,
    ),
    gateway.relate<Counts, 'rows'>(
      scope,
      question,
      ({ rows }) => {
        const { value, denominator } = numbers(rows);
        return {
          sql: `SELECT toFloat64(count()) AS row_count, toFloat64(countIf(r.${columns.unit} IS NOT NULL)) AS with_unit, toFloat64(countIf(${isJoined} = 1)) AS joined,
            toFloat64(countIf((${value}) IS NULL OR (${denominator}) IS NULL)) AS not_numbers, toFloat64(countIf(ifNull(${value}, 0) < 0)) AS negative
            FROM (${rows.sql}) AS r`,
          params,
        };
      },
      budget,
    ),
  ]);
  const [counts = { row_count: 0, with_unit: 0, joined: 0, not_numbers: 0, negative: 0 }] = counted.rows;
  return { relation: sample.relations.rows, sample: sample.rows, counts };
}

function ofFlag(flag: string | undefined): string {
  return flag === undefined ? '' : ' AND flag = {seen_flag:String}';
}
