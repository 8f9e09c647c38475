import type { MetricDefinition, MetricExplanation } from '@fanion/contract';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import { readSample } from './explain-store.ts';

/** What a metric measures, on sample rows of a window: its statement, and how many of its rows join to a unit. */
export async function explainMetric(
  gateway: Gateway,
  scope: TelemetryScope,
  metric: MetricDefinition,
  { window, flag, signal }: { window: Window; flag: string | undefined; signal: AbortSignal },
): Promise<MetricExplanation> {
  const { relation, sample, counts } = await readSample(gateway, scope, metric, { window, flag, signal });
  const { row_count, with_unit, joined, not_numbers, negative } = counts;
  return {
    sql: relation.sql,
    oql: relation.normalized,
    plan: planOf(metric),
    from: isoOf(window.fromNs),
    to: isoOf(window.toNs),
    sample: sample.map(({ time, unit, value, denominator, joined }) => ({
      time: new Date(time).toISOString(),
      unit,
      value,
      denominator,
      joined: joined === 1,
    })),
    units: { rows: row_count, with_unit, joined, share: row_count === 0 ? null : joined / row_count },
    not_numbers,
    negative,
    warnings: warningsOf(metric, counts, flag),
  };
}

/** What happens with the rows, in words. */
export function planOf(metric: MetricDefinition): string[] {
  const { kind, unit, window, cap } = metric;
  const what = {
    conversion: 'A unit counts 1 if it has a row, else 0.',
    count: 'A unit counts its rows.',
    mean: 'The sum of `value` over all rows of an arm is divided by their number; the rows of a unit belong together.',
    sum: 'A unit counts the sum of `value`, 0 without rows.',
    ratio: 'The sum of `value` of an arm is divided by the sum of the denominator; the rows of a unit belong together.',
    quantile: `The ${((metric.quantile ?? 0.5) * 100).toFixed(1)}th percentile of \`value\` over all rows of an arm; the rows of a unit belong together.`,
    retention: `A unit counts 1 if it has a row from ${metric.retention?.from ?? ''} to ${metric.retention?.to ?? ''} after its exposure, else 0.`,
    funnel: `A unit counts 1 if it has rows of all ${metric.steps?.length ?? 0} steps, in order, else 0.`,
  }[kind];
  return [
    'Read the rows of `source` in the environment of the flag.',
    unit === 'trace_id'
      ? 'Join each row to the units that saw the flag in its trace.'
      : `Join each row to the unit whose id is in \`${unit}\`; rows before its first exposure do not count.`,
    ...(window === null ? [] : [`Leave out rows later than ${window} after the exposure.`]),
    what,
    ...(cap === null ? [] : [`Units above the ${cap * 100}th percentile of all units count as that percentile.`]),
    'Sum up over the units of each arm. Units that saw several arms are left out.',
  ];
}

interface Counts {
  readonly row_count: number;
  readonly with_unit: number;
  readonly joined: number;
  readonly not_numbers: number;
  readonly negative: number;
}

export function warningsOf(metric: MetricDefinition, counts: Counts, flag: string | undefined): string[] {
  const { row_count, with_unit, joined, not_numbers, negative } = counts;
  const seen = flag === undefined ? 'a flag' : `the flag ${flag}`;
  if (row_count === 0) return ['The source has no rows in this window. Widen the window, or check the query.'];
  const share = (n: number) => `${((n / row_count) * 100).toFixed(n === row_count ? 0 : 1)} %`;
  return [
    ...(with_unit === 0
      ? [`No row has a value for \`${metric.unit}\`, so the metric never joins to a unit: choose another attribute.`]
      : with_unit < row_count
        ? [`${share(row_count - with_unit)} of the rows have no value for \`${metric.unit}\` and never count.`]
        : []),
    ...(with_unit > 0 && joined === 0
      ? [
          `No row belongs to a unit that saw ${seen} in this window. Evaluations that are not reported, and bulk evaluations, expose nobody.`,
        ]
      : []),
    ...(not_numbers > 0
      ? [`${share(not_numbers)} of the rows have a value that is missing or not a finite number, and do not count.`]
      : []),
    ...(negative > 0 ? [`${share(negative)} of the rows have a negative value.`] : []),
  ];
}

function isoOf(ns: bigint): string {
  return new Date(Number(ns / 1_000_000n)).toISOString();
}
