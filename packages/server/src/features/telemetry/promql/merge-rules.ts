import type { NativeHistogram, SampleSeries } from '@fanion/promql';
import { bitsOf, CUSTOM_BUCKETS } from '@fanion/promql';
import { keyOf } from './series-rules.ts';

/**
 * Makes series with equal labels one: what tells them apart in the store, such as another version of the service in the
 * resource, is no label of Prometheus. Where their samples are of the same times, they are of senders that only `instance` could
 * tell apart, which the warning says. One sender may change the form of its samples, which are stored apart then.
 */
export function mergeSeries(all: readonly SampleSeries[]): {
  readonly series: SampleSeries[];
  readonly warnings: readonly string[];
} {
  const groups = new Map<string, SampleSeries[]>();
  for (const one of all) {
    const key = keyOf(one.labels);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [one]);
    else known.push(one);
  }
  const overlapping = new Set<string>();
  const series = [...groups.values()].map((group) => {
    const [only] = group;
    if (only !== undefined && group.length === 1) return only;
    const forms = [...new Set(group.map(formOf))];
    if (forms.some((form) => overlap(group.filter((one) => formOf(one) === form))))
      overlapping.add(only?.labels.get('__name__') ?? '');
    return merged(group);
  });
  const warnings = [...overlapping].map(
    (name) =>
      `several series of ${name} have equal labels at the same time: give each sender a service.instance.id, or query one project and environment`,
  );
  return { series, warnings };
}

/** One sender's series may change between these, which the store keeps as several. */
function formOf({ histograms }: SampleSeries): string {
  const one = histograms?.find((histogram) => histogram !== undefined);
  if (one === undefined) return 'numbers';
  return `${one.counterReset === 'gauge' ? 'gauges' : 'counters'} ${one.schema === CUSTOM_BUCKETS ? 'with bounds' : ''}`;
}

function overlap(group: readonly SampleSeries[]): boolean {
  const spans = group
    .filter(({ times }) => times.length > 0)
    .map(({ times }) => [times[0] ?? 0, times.at(-1) ?? 0] as const)
    .sort(([a], [b]) => a - b);
  return spans.some(([, end], at) => (spans[at + 1]?.[0] ?? Number.POSITIVE_INFINITY) <= end);
}

/** Of samples of one time, the first series' counts. */
function merged(group: readonly SampleSeries[]): SampleSeries {
  const places = group
    .flatMap(({ times }, of) => Array.from(times, (time, at) => ({ time, of, at })))
    .sort((a, b) => a.time - b.time || a.of - b.of)
    .filter(({ time }, at, sorted) => at === 0 || sorted[at - 1]?.time !== time);
  const values = new Float64Array(places.length);
  const bits = bitsOf(values);
  const sources = group.map((one) => bitsOf(one.values));
  for (const [to, { of, at }] of places.entries()) {
    bits[2 * to] = sources[of]?.[2 * at] ?? 0;
    bits[2 * to + 1] = sources[of]?.[2 * at + 1] ?? 0;
  }
  const histograms: (NativeHistogram | undefined)[] = places.map(({ of, at }) => group[of]?.histograms?.[at]);
  return {
    labels: group[0]?.labels ?? new Map(),
    times: Float64Array.from(places, ({ time }) => time),
    values,
    ...(histograms.some((one) => one !== undefined) && { histograms }),
  };
}
