import {
  bitsOf,
  type Evaluation,
  isStale,
  type Labels,
  listedBuckets,
  type NativeHistogram,
  type Sample,
  type SampleSeries,
} from '@fanion/promql';

/** A number in a text, as Prometheus writes it (`util/jsonutil`, `MarshalFloat`): as in ES6, but with Go's exponents. */
export function valueText(value: number): string {
  if (Number.isFinite(value)) {
    if (Object.is(value, -0)) return '-0';
    return String(value).replace(/e([+-])(\d)$/, 'e$10$2');
  }
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

/** The JSON of a result in pieces, so that other requests get a turn between them. */
export function* resultJson({ result }: Pick<Evaluation, 'result'>): Generator<string> {
  yield `{"resultType":"${result.type}","result":`;
  switch (result.type) {
    case 'scalar':
      yield `[${result.time / 1000},"${valueText(result.value)}"]`;
      break;
    case 'string':
      yield `[${result.time / 1000},${JSON.stringify(result.value)}]`;
      break;
    case 'vector':
      yield* listed(result.samples, sampleJson);
      break;
    case 'matrix':
      yield* listed(result.series, seriesJson);
      break;
  }
  yield '}';
}

function* listed<Item>(items: readonly Item[], json: (item: Item) => string): Generator<string> {
  yield '[';
  for (const [at, item] of items.entries()) yield (at > 0 ? ',' : '') + json(item);
  yield ']';
}

export function labelsJson(labels: Labels): string {
  const pairs = [...labels].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
}

function sampleJson({ labels, time, value, histogram }: Sample): string {
  const at = time / 1000;
  const shown =
    histogram === undefined
      ? `"value":[${at},"${valueText(value)}"]`
      : `"histogram":[${at},${histogramJson(histogram)}]`;
  return `{"metric":${labelsJson(labels)},${shown}}`;
}

function seriesJson({ labels, times, values, histograms }: SampleSeries): string {
  const bits = bitsOf(values);
  const floats: string[] = [];
  const native: string[] = [];
  for (let i = 0; i < times.length; i++) {
    const at = (times[i] ?? 0) / 1000;
    const histogram = histograms?.[i];
    if (histogram !== undefined) native.push(`[${at},${histogramJson(histogram)}]`);
    else if (!isStale(bits, i)) floats.push(`[${at},"${valueText(values[i] ?? 0)}"]`);
  }
  const shown = [
    ...(floats.length > 0 ? [`,"values":[${floats.join(',')}]`] : []),
    ...(native.length > 0 ? [`,"histograms":[${native.join(',')}]`] : []),
  ];
  return `{"metric":${labelsJson(labels)}${shown.join('')}}`;
}

function histogramJson(histogram: NativeHistogram): string {
  const buckets = listedBuckets(histogram).map(
    ({ boundaries, lower, upper, count }) =>
      `[${boundaries},"${valueText(lower)}","${valueText(upper)}","${valueText(count)}"]`,
  );
  const shown = buckets.length > 0 ? `,"buckets":[${buckets.join(',')}]` : '';
  return `{"count":"${valueText(histogram.count)}","sum":"${valueText(histogram.sum)}"${shown}}`;
}
