import type { ReadSignal } from '@fanion/oql';
import type { SampleSeries } from '@fanion/promql';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { type Asked, tooMany } from './choosing.ts';
import type { Store } from './condition-store.ts';
import { type Counted, type Counter, countersOf } from './counter-rules.ts';
import type { Counting } from './counting-store.ts';
import { countEvaluations } from './flag-metrics-store.ts';
import type { Presence } from './presence-store.ts';
import type { Sampling } from './sampling-rules.ts';
import type { Selection } from './selection-rules.ts';
import { countCalls } from './service-graph-store.ts';
import { countSpans } from './span-metrics-store.ts';

/** Rows of one read: sets of labels times steps. */
const maxRows = 200_000;

/** A metric as Prometheus describes it: a histogram without the suffixes of its parts. */
export interface Description {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly unit: string;
}

/** Metrics that are counted in the same way. */
interface CounterFamily {
  /** What they are counted from. */
  readonly from: keyof Presence;
  readonly descriptions: readonly Description[];
  readonly labelNames: readonly string[];
  readonly bounds: readonly number[];
  readonly metrics: Readonly<Record<string, Counter['part']>>;
  /** At most `limit` + 1 rows, in the order of their times. */
  count(store: Store, scope: TelemetryScope, counting: Counting, signal: AbortSignal): Promise<readonly Counted[]>;
}

/** Metrics of spans, under the names and with the buckets of Tempo's metrics generator. */
const spanFamily: CounterFamily = {
  from: 'spans',
  descriptions: [
    { name: 'traces_spanmetrics_calls_total', type: 'counter', help: 'Spans.', unit: '' },
    { name: 'traces_spanmetrics_latency', type: 'histogram', help: 'Durations of spans.', unit: 'seconds' },
  ],
  labelNames: ['service', 'span_kind', 'span_name', 'status_code'],
  bounds: [0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.02, 2.05, 4.1],
  metrics: {
    traces_spanmetrics_calls_total: 'calls',
    traces_spanmetrics_latency_bucket: 'bucket',
    traces_spanmetrics_latency_count: 'calls',
    traces_spanmetrics_latency_sum: 'sum',
  },
  count: countSpans,
};

/** Metrics of Tempo's service graph, for the calls of the service map. */
const graph = 'traces_service_graph_request';
const graphLabels = {
  from: 'spans',
  labelNames: ['client', 'server', 'connection_type'],
  bounds: [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8],
} as const;
const timed = (name: string) =>
  ({ [`${name}_bucket`]: 'bucket', [`${name}_count`]: 'calls', [`${name}_sum`]: 'sum' }) as const;
const graphFamily: CounterFamily = {
  ...graphLabels,
  descriptions: [
    { name: `${graph}_total`, type: 'counter', help: 'Calls between two services.', unit: '' },
    { name: `${graph}_failed_total`, type: 'counter', help: 'Failed calls between two services.', unit: '' },
    { name: `${graph}_server_seconds`, type: 'histogram', help: 'Durations of calls at the server.', unit: 'seconds' },
  ],
  metrics: { [`${graph}_total`]: 'calls', [`${graph}_failed_total`]: 'failed', ...timed(`${graph}_server_seconds`) },
  count: countCalls('server_took'),
};
const graphClientFamily: CounterFamily = {
  ...graphLabels,
  descriptions: [
    { name: `${graph}_client_seconds`, type: 'histogram', help: 'Durations of calls at the client.', unit: 'seconds' },
  ],
  metrics: timed(`${graph}_client_seconds`),
  count: countCalls('client_took'),
};

const flagFamily: CounterFamily = {
  from: 'flags',
  labelNames: ['environment', 'flag', 'reason', 'variant'],
  bounds: [],
  descriptions: [{ name: 'fanion_flag_evaluations_total', type: 'counter', help: 'Evaluations of flags.', unit: '' }],
  metrics: { fanion_flag_evaluations_total: 'calls' },
  count: countEvaluations,
};

const families = [spanFamily, graphFamily, graphClientFamily, flagFamily];

/** Whether a metric of this name is counted when it is read. One that was sent under this name is read instead: both are of the same calls. */
export function isCounter(name: string): boolean {
  return families.some(({ metrics }) => Object.hasOwn(metrics, name));
}

/** What a counter is counted from. Clients report evaluations of flags in logs and spans too. */
export function signalsOfCounter(name: string): readonly ReadSignal[] {
  const family = families.find(({ metrics }) => Object.hasOwn(metrics, name));
  if (family === undefined) return [];
  return family.from === 'flags' ? ['evaluations', 'logs', 'traces'] : ['traces'];
}

/** The descriptions and names of the metrics that are counted from what there is. */
export function countersFrom(presence: Presence): { readonly descriptions: Description[]; readonly names: string[] } {
  const present = families.filter(({ from }) => presence[from]);
  return {
    descriptions: present.flatMap(({ descriptions }) => descriptions),
    names: present.flatMap(({ metrics }) => Object.keys(metrics)),
  };
}

/** The samples of a metric of this name, counted from the telemetry of the window. */
export async function readCounter(
  { store, scope, limits, signal }: Asked,
  name: string,
  { labels }: Selection,
  { window, step, times }: Sampling,
): Promise<SampleSeries[]> {
  const family = families.find(({ metrics }) => Object.hasOwn(metrics, name));
  const part = family?.metrics[name];
  if (family === undefined || part === undefined) return [];
  const { labelNames, bounds } = family;
  const counting = { window, step, bounds, conditions: labels, limit: maxRows };
  const rows = await family.count(store, scope, counting, signal);
  if (rows.length > maxRows) throw tooMany('sets of labels and steps', maxRows);
  // Before the samples are made, which take more memory than the rows.
  const sets = new Set(rows.map(({ labels }) => JSON.stringify(labels))).size;
  const series = sets * (part === 'bucket' ? bounds.length + 1 : 1);
  if (series > limits.series) throw tooMany('series', limits.series);
  if (series * times.length > limits.samples) throw tooMany('samples', limits.samples);
  return countersOf({ name, part, labelNames, bounds }, rows, times);
}
