import { inScope, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { inSampleWindow, job, parametersOf, type Store, whereOf } from './condition-store.ts';
import { stepEnd } from './counting-store.ts';
import type { Sampling } from './sampling-rules.ts';

/** A resource that sent points by OTLP. */
export interface Target {
  readonly job: string;
  readonly instance: string;
  /** Its other attributes. */
  readonly pairs: readonly (readonly [key: string, value: string])[];
  /** The ends of the steps in which it sent any, in Unix milliseconds. */
  readonly times: readonly number[];
}

const identity = `('service.namespace', 'service.name', 'service.instance.id')`;
/** SQL: the attributes that `job` and `instance` do not have. */
export const others = `mapFilter((k, v) -> k NOT IN ${identity}, resource)`;

/** The resources that sent points in a window, at most `limit`. */
export async function listTargets(
  { telemetry }: Store,
  scope: TelemetryScope,
  { window, step }: Sampling,
  limit: number,
  signal: AbortSignal,
): Promise<Target[]> {
  const points = (table: string) =>
    `SELECT ${table}.series AS series, ${stepEnd} AS at FROM ${table} WHERE ${inScope(scope)} AND ${inSampleWindow} GROUP BY series, at`;
  const filter = { window, conditions: [] };
  return telemetry.rows<Target>(
    scope,
    `SELECT described.job AS job, described.instance AS instance, described.pairs AS pairs, arraySort(groupUniqArray(points.at)) AS times
     FROM (${points('metric_points')} UNION ALL ${points('metric_histograms')}) AS points
     INNER JOIN (
       SELECT metric_series.series AS series, ${job} AS job, resource['service.instance.id'] AS instance,
         arraySort(arrayZip(mapKeys(${others}), mapValues(${others}))) AS pairs
       FROM metric_series WHERE ${whereOf(scope, filter)} AND NOT written AND notEmpty(${others}) AND (job != '' OR instance != '')
       LIMIT 1 BY metric_series.series
     ) AS described ON points.series = described.series
     GROUP BY job, instance, pairs LIMIT {limit:UInt32}`,
    { ...parametersOf(filter), step: String(step), limit },
    signal,
    { limits: { maxResultRows: limit, maxResultBytes: 128 * 1024 ** 2 } },
  );
}
