import type { LabelMatcher, Labels } from '@fanion/promql';
import { decimalText, matchersOf } from '@fanion/promql';
import {
  type Asked,
  acceptedTexts,
  type Chosen,
  type Component,
  choose,
  countSeries,
  describe,
  type Family,
  familyKey,
  keyOf,
  labelName,
  labelsOf,
  listBounds,
  listDerivedOf,
  listDescriptions,
  listKeys,
  listLabelValues,
  metricsOf,
  namedLabels,
  namesOf,
  presentDerived,
  type SampleWindow,
  type SeriesFilter,
  translatedName,
} from '../../../features/telemetry/promql/index.ts';
import { fail } from '../../../platform/fail.ts';
import type { Parameters } from '../../read/request.ts';
import { limitOf } from './parameter-rules.ts';
import { parsed } from './queries.ts';

/** A list, of which a limit may have left out a part. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly warnings: readonly string[];
}

const truncated = 'results truncated due to limit';
/** Most items of a list whose request has no limit. */
const maxListed = 100_000;

/** The selectors of `match[]`; without any, one that selects everything. */
export function selectorsOf(parameters: Parameters): readonly (readonly LabelMatcher[])[] {
  const texts = parameters.all('match[]').filter((text) => text !== '');
  return texts.length === 0 ? [[]] : texts.map(selectorOf);
}

function selectorOf(text: string): LabelMatcher[] {
  const expression = parsed(text);
  if (expression.kind !== 'selector' || expression.rangeMs !== undefined)
    throw fail('PROMETHEUS_PARAMETER_INVALID', { name: 'match[]', reason: `${text} is not an instant selector` });
  return matchersOf(expression);
}

/** What the chosen families have, in the store's terms. */
function filterOf({ families, selection }: Chosen, window: SampleWindow): SeriesFilter {
  const metrics = selection.names.length === 0 ? undefined : metricsOf(families);
  return { window, metrics, conditions: selection.labels, isCumulative: true };
}

function isOf({ named }: Chosen, component: Component): boolean {
  return [...named.values()].some((all) => all.some((one) => one.component === component));
}

async function eachSelector<Item>(
  asked: Asked,
  parameters: Parameters,
  window: SampleWindow,
  list: (chosen: Chosen) => Promise<readonly Item[]>,
  /** Of a series that is not stored. */
  itemsOf: (labels: Labels) => Iterable<Item>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (const matchers of selectorsOf(parameters)) {
    for (const labels of await listDerivedOf(asked, matchers, window))
      for (const item of itemsOf(labels)) all.push(item);
    const chosen = await choose(asked, matchers, window);
    if (chosen.families.length > 0) for (const item of await list(chosen)) all.push(item);
  }
  return all;
}

function limitedTo<Item>(items: readonly Item[], parameters: Parameters): Listed<Item> {
  const limit = limitOf(parameters) ?? maxListed;
  return items.length > limit ? { items: items.slice(0, limit), warnings: [truncated] } : { items, warnings: [] };
}

export async function labelNames(asked: Asked, parameters: Parameters, window: SampleWindow): Promise<Listed<string>> {
  const { store, scope, signal } = asked;
  const names = await eachSelector(
    asked,
    parameters,
    window,
    async (chosen) => {
      const keys = await listKeys(store, scope, filterOf(chosen, window), maxListed, signal);
      return [
        '__name__',
        ...keys.map(({ key, isWritten }) => (isWritten ? key : labelName(key))),
        ...(isOf(chosen, 'bucket') ? ['le'] : []),
        ...(isOf(chosen, 'quantile') ? ['quantile'] : []),
      ];
    },
    (labels) => labels.keys(),
  );
  return limitedTo([...new Set(names)].toSorted(), parameters);
}

export async function labelValues(
  asked: Asked,
  label: string,
  parameters: Parameters,
  window: SampleWindow,
): Promise<Listed<string>> {
  const { store, scope, signal } = asked;
  const most = (limitOf(parameters) ?? maxListed) + 1;
  const values = await eachSelector(
    asked,
    parameters,
    window,
    async (chosen) => {
      if (label === '__name__') return [...chosen.named.values()].flatMap((all) => all.map(({ name }) => name));
      const filter = filterOf(chosen, window);
      const stored = await listLabelValues(store, scope, { ...filter, label }, most, signal);
      return [...stored, ...(await partValues(asked, chosen, label, filter))];
    },
    (labels) => [labels.get(label) ?? []].flat(),
  );
  if (label === '__name__') values.push(...(await derivedNames(asked, parameters, window)));
  return limitedTo([...new Set(values)].toSorted(), parameters);
}

/** The names of derived metrics, for selectors that are about names only. */
async function derivedNames(asked: Asked, parameters: Parameters, window: SampleWindow): Promise<string[]> {
  const selectors = selectorsOf(parameters).filter((matchers) => matchers.every(({ name }) => name === '__name__'));
  if (selectors.length === 0) return [];
  const { names } = await presentDerived(asked, window);
  const accepted = await Promise.all(selectors.map((matchers) => acceptedTexts(asked, matchers, names)));
  return accepted.flatMap((one) => [...one]);
}

/** The values of `le` and `quantile`, which come from the points of histograms and summaries. */
async function partValues(asked: Asked, chosen: Chosen, label: string, filter: SeriesFilter): Promise<string[]> {
  const component = label === 'le' ? 'bucket' : label === 'quantile' ? 'quantile' : undefined;
  if (component === undefined || !isOf(chosen, component)) return [];
  const rows = await listBounds(asked.store, asked.scope, filter, asked.signal);
  const values = rows.flatMap(({ bounds, quantiles }) => (component === 'bucket' ? bounds : quantiles));
  const texts = new Set([...values.map(decimalText), ...(component === 'bucket' ? ['+Inf'] : [])]);
  const own = chosen.selection.parts.filter(({ name }) => name === label);
  return [...(await acceptedTexts(asked, own, [...texts]))];
}

export async function seriesLabels(
  asked: Asked,
  parameters: Parameters,
  window: SampleWindow,
): Promise<Listed<Labels>> {
  if (parameters.all('match[]').length === 0)
    throw fail('PROMETHEUS_PARAMETER_INVALID', { name: 'match[]', reason: 'no match[] parameter provided' });
  const all = await eachSelector(
    asked,
    parameters,
    window,
    (chosen) => labelSets(asked, chosen, window),
    (labels) => [labels],
  );
  const distinct = new Map(all.map((labels) => [keyOf(labels), labels]));
  return limitedTo([...distinct.values()], parameters);
}

async function labelSets(asked: Asked, chosen: Chosen, window: SampleWindow): Promise<Labels[]> {
  const filter = filterOf(chosen, window);
  const hasParts = isOf(chosen, 'bucket') || isOf(chosen, 'quantile');
  const [described, bounds] = await Promise.all([
    describe(asked, chosen, filter),
    hasParts ? listBounds(asked.store, asked.scope, filter, asked.signal) : [],
  ]);
  const boundsOf = new Map(bounds.map((row) => [row.series, row]));
  let sets = described.flatMap((series) => {
    const labels = labelsOf(series);
    const parts = boundsOf.get(series.id);
    return (chosen.named.get(familyKey(series.family)) ?? []).flatMap(({ name, component }) =>
      partsOf(component, parts).map((part) => namedLabels(name, labels, part)),
    );
  });
  for (const matcher of chosen.selection.parts) {
    const textOf = (labels: Labels) => labels.get(matcher.name) ?? '';
    const accepted = await acceptedTexts(asked, [matcher], [...new Set(sets.map(textOf))]);
    sets = sets.filter((labels) => accepted.has(textOf(labels)));
  }
  return sets;
}

function partsOf(
  component: Component,
  parts: { readonly bounds: readonly number[]; readonly quantiles: readonly number[] } | undefined,
): readonly (readonly [string, string] | undefined)[] {
  switch (component) {
    case 'bucket':
      return [...(parts?.bounds ?? []).map(decimalText), '+Inf'].map((bound) => ['le', bound] as const);
    case 'quantile':
      return (parts?.quantiles ?? []).map((quantile) => ['quantile', decimalText(quantile)] as const);
    default:
      return [undefined];
  }
}

/** Prometheus' name of what a metric is. */
function typeOf({ kind, isMonotonic, isGauge }: Family): string {
  if (kind === 'sum') return isMonotonic ? 'counter' : 'gauge';
  if (kind === 'gauge' || kind === 'summary') return kind;
  return isGauge ? 'gaugehistogram' : 'histogram';
}

/** Type, description and unit of metrics by their names. */
export async function metadataOf(
  asked: Asked,
  parameters: Parameters,
  window: SampleWindow,
): Promise<
  Readonly<Record<string, readonly { readonly type: string; readonly help: string; readonly unit: string }[]>>
> {
  const { store, scope, signal } = asked;
  const wanted = parameters.one('metric');
  const perMetric = limitOf(parameters, 'limit_per_metric') ?? maxListed;
  const [rows, derived] = await Promise.all([
    listDescriptions(store, scope, { window, conditions: [] }, maxListed, signal),
    presentDerived(asked, window),
  ]);
  const known = new Map<string, { type: string; help: string; unit: string }[]>();
  for (const { name, ...description } of derived.descriptions)
    if (wanted === undefined || wanted === name) known.set(name, [description]);
  for (const { description, ...family } of rows) {
    const name = family.isWritten ? family.metric : translatedName(family);
    if (wanted !== undefined && name !== wanted && !namesOf(family).some((one) => one.name === wanted)) continue;
    const type = typeOf(family);
    const all = known.get(name) ?? [];
    if (all.length < perMetric) all.push({ type, help: description, unit: family.unit });
    known.set(name, all);
  }
  const { items } = limitedTo([...known], parameters);
  return Object.fromEntries(items);
}

const defaultTopMetrics = 10;

/** Counts of the series of a window; of what is only a file in Prometheus, nothing. */
export async function tsdbStatus({ store, scope, signal }: Asked, parameters: Parameters, window: SampleWindow) {
  const counts = await countSeries(store, scope, { window, conditions: [] }, signal);
  return {
    headStats: {
      numSeries: counts.reduce((sum, { value }) => sum + value, 0),
      numLabelPairs: 0,
      chunkCount: 0,
      minTime: wholeMinute(window.start),
      maxTime: wholeMinute(window.end),
    },
    seriesCountByMetricName: counts.slice(0, limitOf(parameters) ?? defaultTopMetrics),
    labelValueCountByLabelName: [],
    memoryInBytesByLabelName: [],
    seriesCountByLabelValuePair: [],
  };
}

/** So that two answers within a minute are equal. */
function wholeMinute(ms: number): number {
  return Math.floor(ms / 60_000) * 60_000;
}
