import { decimalText, type Labels, type SampleSeries } from '@fanion/promql';

/** Metrics of spans, under the names that Tempo's metrics generator gives them. They are counted from the spans when they are read. */
export const spanMetrics = {
  calls: 'traces_spanmetrics_calls_total',
  bucket: 'traces_spanmetrics_latency_bucket',
  sum: 'traces_spanmetrics_latency_sum',
  count: 'traces_spanmetrics_latency_count',
} as const;
export type SpanMetric = keyof typeof spanMetrics;

export function spanMetricOf(name: string | undefined): SpanMetric | undefined {
  return (Object.keys(spanMetrics) as SpanMetric[]).find((metric) => spanMetrics[metric] === name);
}

/** Upper bounds of the buckets in seconds, as Tempo's. */
export const latencyBounds = [0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.02, 2.05, 4.1];

/** Spans of one kind that began in one step. */
export interface SpanCounts {
  readonly service: string;
  readonly span_name: string;
  readonly span_kind: string;
  readonly status_code: string;
  /** The end of the step, in Unix milliseconds. */
  readonly at: number;
  readonly calls: number;
  readonly seconds: number;
  /** Of {@link latencyBounds}: spans that were not longer. */
  readonly within: readonly number[];
}

const finestStepMs = 15_000;
const mostSteps = 1_500;

/** The time between samples: 15 seconds, or longer where the window would have too many. */
export function stepOf({ start, end }: { readonly start: number; readonly end: number }): number {
  const steps = Math.ceil((end - start) / mostSteps / finestStepMs);
  return Math.max(1, steps) * finestStepMs;
}

/** The ends of the steps that are in a window. The first is what the counters begin at. */
export function stepsIn({ start, end }: { readonly start: number; readonly end: number }, step: number): number[] {
  const first = (Math.floor(start / step) + 1) * step;
  return Array.from({ length: Math.max(0, Math.floor((end - first) / step) + 1) }, (_, at) => first + at * step);
}

/**
 * Counters that begin at zero with the window, as those of a process that started then: increases and rates are those of the
 * spans.
 * @param rows by their time
 */
export function countersOf(metric: SpanMetric, rows: readonly SpanCounts[], times: readonly number[]): SampleSeries[] {
  const groups = new Map<string, SpanCounts[]>();
  for (const row of rows) {
    const key = JSON.stringify([row.service, row.span_name, row.span_kind, row.status_code]);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [row]);
    else known.push(row);
  }
  return [...groups.values()].flatMap((group) =>
    partsOf(metric).map(({ label, of }) => ({
      labels: labelsOf(metric, group[0], label),
      times: Float64Array.from(times),
      values: runningSum(group, of, times),
    })),
  );
}

interface Part {
  readonly label: readonly [name: string, value: string] | undefined;
  readonly of: (row: SpanCounts) => number;
}

function partsOf(metric: SpanMetric): Part[] {
  switch (metric) {
    case 'calls':
    case 'count':
      return [{ label: undefined, of: ({ calls }) => calls }];
    case 'sum':
      return [{ label: undefined, of: ({ seconds }) => seconds }];
    case 'bucket':
      return [
        ...latencyBounds.map((bound, at) => ({
          label: ['le', decimalText(bound)] as const,
          of: ({ within }: SpanCounts) => within[at] ?? 0,
        })),
        { label: ['le', '+Inf'], of: ({ calls }) => calls },
      ];
  }
}

function labelsOf(metric: SpanMetric, row: SpanCounts | undefined, part: Part['label']): Labels {
  return new Map([
    ['__name__', spanMetrics[metric]],
    ...(part === undefined ? [] : [part]),
    ['service', row?.service ?? ''],
    ['span_kind', row?.span_kind ?? ''],
    ['span_name', row?.span_name ?? ''],
    ['status_code', row?.status_code ?? ''],
  ]);
}

function runningSum(rows: readonly SpanCounts[], of: Part['of'], times: readonly number[]): Float64Array {
  const values = new Float64Array(times.length);
  let next = 0;
  let sum = 0;
  for (const [at, time] of times.entries()) {
    for (let row = rows[next]; row !== undefined && row.at <= time; row = rows[++next]) sum += of(row);
    values[at] = sum;
  }
  return values;
}
