import type { LabelMatcher, Labels, NativeHistogram, SampleSeries } from '@fanion/promql';
import { setStale } from '@fanion/promql';
import { createBreath } from '../../../platform/breath.ts';
import { fail } from '../../../platform/fail.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { ReadAlerts } from './alert-series-rules.ts';
import { listMatching, type SeriesFilter, type Store } from './condition-store.ts';
import type { HistogramRow } from './histogram-rules.ts';
import { classicParts, customHistogram, nativeHistogram, type PartValue, summaryParts } from './histogram-rules.ts';
import type { Family } from './name-rules.ts';
import { readHistograms, readSamples } from './sample-store.ts';
import { columnsOf } from './samples.ts';
import {
  accepts,
  candidatesOf,
  exactName,
  familyKey,
  isRegex,
  type Named,
  type Selection,
  selectionOf,
} from './selection-rules.ts';
import type { StoredSeries } from './series-rules.ts';
import { labelsOf, namedLabels } from './series-rules.ts';
import { listFamilies, listSeries } from './series-store.ts';
import type { SampleWindow } from './time-rules.ts';

export interface SourceLimits {
  readonly series: number;
  readonly samples: number;
}

/** Distinct metrics that one selector may be about. */
const maxFamilies = 20_000;

/** The families that a selector is about, with the names that their series have in an answer. */
export interface Chosen {
  readonly named: ReadonlyMap<string, readonly Named[]>;
  readonly families: readonly Family[];
  readonly selection: Selection;
  readonly warnings: readonly string[];
}

export interface Asked {
  readonly store: Store;
  readonly scope: TelemetryScope;
  readonly limits: SourceLimits;
  readonly signal: AbortSignal;
  /** Of the caller; missing where nobody's permissions are known. */
  readonly alerts?: ReadAlerts | undefined;
}

/** @throws `PROMQL_FAILED` for a selector of too many metrics */
export async function choose(
  { store, scope, signal }: Asked,
  matchers: readonly LabelMatcher[],
  window: SampleWindow,
): Promise<Chosen> {
  const selection = selectionOf(matchers);
  const exact = exactName(selection);
  const filter = { window, name: exact, conditions: selection.labels };
  const families = await listFamilies(store, scope, filter, maxFamilies + 1, signal);
  if (families.length > maxFamilies) throw tooMany('metrics', maxFamilies);
  const candidates = families.map((family) => [family, candidatesOf(family, exact)] as const);
  const names = [...new Set(candidates.flatMap(([, named]) => named.map(({ name }) => name)))];
  const accepted = await acceptedTexts({ store, scope, signal }, selection.names, names);
  const named = new Map<string, readonly Named[]>();
  const warnings = new Set<string>();
  const chosen: Family[] = [];
  for (const [family, of] of candidates) {
    const left = of.filter(({ name }) => accepted.has(name));
    if (left.length === 0) continue;
    if (family.isDelta) {
      warnings.add(`the metric ${family.metric} has delta temporality, which PromQL cannot read: query it with OQL`);
      continue;
    }
    named.set(familyKey(family), left);
    chosen.push(family);
  }
  return { named, families: chosen, selection, warnings: [...warnings] };
}

/** The texts that satisfy all matchers. */
export async function acceptedTexts(
  { store, scope, signal }: Pick<Asked, 'store' | 'scope' | 'signal'>,
  matchers: readonly LabelMatcher[],
  texts: readonly string[],
): Promise<ReadonlySet<string>> {
  let left = texts;
  for (const matcher of matchers) {
    const matching = isRegex(matcher)
      ? await listMatching(store, scope, left, matcher.value, signal)
      : new Set<string>();
    left = left.filter((text) => accepts(matcher, text, matching));
  }
  return new Set(left);
}

export function filterOf(
  { selection: { labels } }: Chosen,
  families: readonly Family[],
  window: SampleWindow,
): SeriesFilter {
  return { window, metrics: metricsOf(families), conditions: labels, isCumulative: true };
}

export function metricsOf(families: readonly Family[]): string[] {
  return [...new Set(families.map(({ metric }) => metric))];
}

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

export function tooMany(what: string, limit: number) {
  const reason =
    what === 'samples'
      ? `query processing would load too many samples into memory in query execution: more than ${limit}`
      : `the selector matches more than ${limit} ${what}: add matchers`;
  return fail('PROMQL_FAILED', { reason });
}

/** Samples of gauges and sums. In them, `le` and `quantile` are labels like others. */
export async function readNumbers(asked: Asked, chosen: Chosen, window: SampleWindow): Promise<SampleSeries[]> {
  const families = chosen.families.filter(isNumber);
  if (families.length === 0) return [];
  const { labels, parts } = chosen.selection;
  const filter = { ...filterOf(chosen, families, window), conditions: [...labels, ...parts] };
  const { store, scope, limits, signal } = asked;
  const [described, chunks] = await Promise.all([
    describe(asked, chosen, filter),
    readSamples(store, scope, filter, limits.samples, signal),
  ]);
  const columns = await columnsOf(chunks);
  let samples = 0;
  const found: SampleSeries[] = [];
  for (const series of described) {
    const of = columns.get(series.id);
    if (of === undefined) continue;
    samples += of.times.length;
    for (const { name } of chosen.named.get(familyKey(series.family)) ?? [])
      found.push({ labels: namedLabels(name, labelsOf(series)), ...of });
  }
  if (samples > limits.samples) throw tooMany('samples', limits.samples);
  return found;
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
  const [described, rows] = await Promise.all([
    describe(asked, chosen, filter),
    readHistograms(store, scope, filter, limits.samples, signal),
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
  const { kind, isWritten } = series.family;
  const histogram = (row: HistogramRow): NativeHistogram =>
    kind === 'histogram' ? customHistogram(row) : nativeHistogram(row, isWritten);
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
