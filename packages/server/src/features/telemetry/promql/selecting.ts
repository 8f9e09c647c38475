import type { LabelMatcher, Labels, NativeHistogram, SampleSeries } from '@fanion/promql';
import { setStale } from '@fanion/promql';
import { createBreath } from '../../../platform/breath.ts';
import { type Asked, acceptedTexts, type Chosen, filterOf, tooMany } from './choosing.ts';
import type { SeriesFilter } from './condition-store.ts';
import type { HistogramRow } from './histogram-rules.ts';
import { classicParts, customHistogram, nativeHistogram, type PartValue, summaryParts } from './histogram-rules.ts';
import type { Family } from './name-rules.ts';
import { readHistograms, readSamples } from './sample-store.ts';
import { samplesOf } from './samples.ts';
import { familyKey, type Named } from './selection-rules.ts';
import type { StoredSeries } from './series-rules.ts';
import { labelsOf, namedLabels } from './series-rules.ts';
import { listSeries } from './series-store.ts';
import type { SampleWindow } from './time-rules.ts';

/** @throws `PROMQL_FAILED` for a selector of too many series */
export async function describe(
  { store, scope, limits, signal }: Asked,
  chosen: Chosen,
  filter: SeriesFilter,
): Promise<StoredSeries[]> {
  const all = await listSeries(store, scope, filter, limits.series, signal);
  if (all.length > limits.series) throw tooMany('series', limits.series);
  return all.filter(({ family }) => chosen.named.has(familyKey(family)));
}

/** Samples of gauges and sums. In them, `le` and `quantile` are labels like others. */
export async function readNumbers(asked: Asked, chosen: Chosen, window: SampleWindow): Promise<SampleSeries[]> {
  const families = chosen.families.filter(isNumber);
  if (families.length === 0) return [];
  const { labels, parts } = chosen.selection;
  const filter = { ...filterOf(chosen, families, window), conditions: [...labels, ...parts] };
  const { store, scope, limits, signal } = asked;
  const known = await knownSeries(asked, chosen, isNumber, parts);
  if (known?.length === 0) return [];
  const [described, blocks] = await Promise.all([
    known ?? describe(asked, chosen, filter),
    readSamples(store, scope, { ...filter, ids: known?.map(({ id }) => id) }, limits.samples, signal),
  ]);
  const { count, columns } = await samplesOf(blocks);
  if (count > limits.samples) throw tooMany('samples', limits.samples);
  const found: SampleSeries[] = [];
  for (const series of described) {
    const of = columns.get(series.id);
    if (of === undefined) continue;
    for (const { name } of chosen.named.get(familyKey(series.family)) ?? [])
      found.push({ labels: namedLabels(name, labelsOf(series)), ...of });
  }
  return found;
}

/** The chosen series of a kind whose labels match, if they have been read. */
async function knownSeries(
  asked: Asked,
  { series, named }: Chosen,
  isOfKind: (family: Family) => boolean,
  matchers: readonly LabelMatcher[],
): Promise<readonly StoredSeries[] | undefined> {
  let left = series?.filter(({ family }) => isOfKind(family) && named.has(familyKey(family)));
  for (const matcher of matchers) {
    const textOf = (one: StoredSeries) => new Map(labelsOf(one)).get(matcher.name) ?? '';
    const accepted = await acceptedTexts(asked, [matcher], [...new Set(left?.map(textOf))]);
    left = left?.filter((one) => accepted.has(textOf(one)));
  }
  return left;
}

function isNumber({ kind }: Family): boolean {
  return kind === 'gauge' || kind === 'sum';
}

/** Samples of histograms and summaries, in their parts or as native histograms. */
export async function readDistributions(asked: Asked, chosen: Chosen, window: SampleWindow): Promise<SampleSeries[]> {
  const families = chosen.families.filter((family) => !isNumber(family));
  if (families.length === 0) return [];
  const filter = filterOf(chosen, families, window);
  const { store, scope, limits, signal } = asked;
  const known = await knownSeries(asked, chosen, (family) => !isNumber(family), []);
  const [described, rows] = await Promise.all([
    known ?? describe(asked, chosen, filter),
    readHistograms(store, scope, { ...filter, ids: known?.map(({ id }) => id) }, limits.samples, signal),
  ]);
  const byId = groupsOf(rows);
  const breath = createBreath();
  const found: SampleSeries[] = [];
  let samples = 0;
  for (const series of described) {
    const of = onePerMillisecond(byId.get(series.id) ?? []);
    if (of.length === 0) continue;
    await breath();
    const named = chosen.named.get(familyKey(series.family)) ?? [];
    for (const one of series.family.kind === 'exponential_histogram' || named[0]?.component === 'native'
      ? nativeSeries(series, of, named)
      : partSeries(series, of, named)) {
      samples += one.times.length;
      if (samples > limits.samples) throw tooMany('samples', limits.samples);
      found.push(one);
    }
  }
  return withParts(asked, chosen.selection.parts, found);
}

export function groupsOf<Row extends { readonly series: string }>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const known = groups.get(row.series);
    if (known === undefined) groups.set(row.series, [row]);
    else known.push(row);
  }
  return groups;
}

function onePerMillisecond(rows: readonly HistogramRow[]): HistogramRow[] {
  return rows.filter(({ ms }, at) => rows[at + 1]?.ms !== ms);
}

function nativeSeries(series: StoredSeries, rows: readonly HistogramRow[], named: readonly Named[]): SampleSeries[] {
  const { family } = series;
  const histogram = (row: HistogramRow): NativeHistogram =>
    family.kind === 'histogram' ? customHistogram(row, family) : nativeHistogram(row, family);
  const times = Float64Array.from(rows, ({ ms }) => Number(ms));
  const values = withStale(rows.map(({ none }) => (none ? undefined : Number.NaN)));
  const histograms = rows.map((row) => (row.none ? undefined : histogram(row)));
  return named.map(({ name }) => ({ labels: namedLabels(name, labelsOf(series)), times, values, histograms }));
}

/** Numbers, with a staleness marker for each that is missing. */
function withStale(values: readonly (number | undefined)[]): Float64Array {
  const all = Float64Array.from(values, (value) => value ?? Number.NaN);
  for (const [at, value] of values.entries()) if (value === undefined) setStale(all, at);
  return all;
}

/** A series for each part: each bound, the sum and the count. One that is missing later is stale there. */
function partSeries(series: StoredSeries, rows: readonly HistogramRow[], named: readonly Named[]): SampleSeries[] {
  const partsOf = series.family.kind === 'summary' ? summaryParts : classicParts;
  const all = new Map<string, { part: PartValue; values: Map<number, number> }>();
  for (const row of rows) {
    if (row.none) continue;
    for (const part of partsOf(row)) {
      const key = `${part.component} ${part.label?.[1] ?? ''}`;
      const known = all.get(key) ?? { part, values: new Map<number, number>() };
      known.values.set(Number(row.ms), part.value);
      all.set(key, known);
    }
  }
  const times = rows.map(({ ms }) => Number(ms));
  const labels = labelsOf(series);
  const found: SampleSeries[] = [];
  for (const { part, values } of all.values()) {
    const first = times.findIndex((time) => values.has(time));
    const own = times.slice(first);
    const columns = {
      times: Float64Array.from(own),
      values: withStale(own.map((time) => values.get(time))),
    };
    for (const { name, component } of named)
      if (component === part.component) found.push({ labels: namedLabels(name, labels, part.label), ...columns });
  }
  return found;
}

/** Those whose `le` and `quantile` match. */
async function withParts(
  asked: Asked,
  matchers: readonly LabelMatcher[],
  series: readonly SampleSeries[],
): Promise<SampleSeries[]> {
  let left = [...series];
  for (const matcher of matchers) {
    const textOf = (labels: Labels) => labels.get(matcher.name) ?? '';
    const texts = [...new Set(left.map(({ labels }) => textOf(labels)))];
    const accepted = await acceptedTexts(asked, [matcher], texts);
    left = left.filter(({ labels }) => accepted.has(textOf(labels)));
  }
  return left;
}
