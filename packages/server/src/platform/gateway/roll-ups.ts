import type { Compiled, MetricRollUps } from '@fanion/oql';
import { inScope, type ScopedTelemetry, type TelemetryScope } from '../scoped-telemetry.ts';

const hourNs = 3_600_000_000_000n;

/**
 * When the roll-ups of metrics contain all points that are stored: hours in which as many rows are stored as were rolled up, in each project and
 * environment of the scope. Rows are counted by the engine with each insert, so this reads no points. Hours without points count as
 * rolled up where they lie between others.
 */
export async function findRollUps(
  telemetry: ScopedTelemetry,
  scope: TelemetryScope,
  { rollUps, reach }: Pick<Compiled, 'rollUps' | 'reach'>,
  signal: AbortSignal,
): Promise<MetricRollUps[]> {
  const hour = (name: string) => `toDateTime({${name}:UInt32}, 'UTC')`;
  const key = 'metric, project, environment, hour';
  const rows = await telemetry.rows<{ metric: string; at: number; whole: number }>(
    scope,
    `SELECT metric, intDiv(toUInt32(hour), 3600) AS at, toUInt8(min(stored = rolled)) AS whole
     FROM (SELECT ${key}, sum(stored) AS stored, sum(rolled) AS rolled FROM (
         SELECT metric, project, environment, toStartOfHour(time) AS hour, count() AS stored, toUInt64(0) AS rolled FROM metric_points
         WHERE ${inScope(scope)} AND metric IN {metrics:Array(String)} AND toStartOfHour(time) >= ${hour('from')} AND toStartOfHour(time) < ${hour('to')} GROUP BY ${key}
         UNION ALL SELECT ${key}, 0, argMax(metric_rollup_hours.rows, version) FROM metric_rollup_hours
         WHERE ${inScope(scope)} AND metric IN {metrics:Array(String)} AND hour >= ${hour('from')} AND hour < ${hour('to')} GROUP BY ${key})
       GROUP BY ${key})
     GROUP BY metric, hour ORDER BY metric, hour`,
    {
      metrics: [...new Set(rollUps.map(({ metric }) => metric))],
      from: Number(reach.fromNs / hourNs) * 3600,
      to: Number((reach.toNs + hourNs - 1n) / hourNs) * 3600,
    },
    signal,
  );
  return rangesOf(rows.map(({ metric, at, whole }) => ({ metric, at: Number(at), whole: Number(whole) === 1 })));
}

/** @param hours those with points, by metric and time */
export function rangesOf(
  hours: readonly { readonly metric: string; readonly at: number; readonly whole: boolean }[],
): MetricRollUps[] {
  const found = new Map<string, [from: number, to: number][]>();
  let isOpen = false;
  let last: string | undefined;
  for (const { metric, at, whole } of hours) {
    const ranges = found.get(metric) ?? [];
    found.set(metric, ranges);
    const range = ranges.at(-1);
    if (whole && isOpen && range && last === metric) range[1] = at + 1;
    else if (whole) ranges.push([at, at + 1]);
    isOpen = whole;
    last = metric;
  }
  return [...found].filter(([, ranges]) => ranges.length > 0).map(([metric, ranges]) => ({ metric, hours: ranges }));
}
