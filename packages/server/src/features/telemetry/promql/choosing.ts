import type { LabelMatcher } from '@fanion/promql';
import { fail } from '../../../platform/fail.ts';
import type { TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { ReadAlerts } from './alert-series-rules.ts';
import { listMatching, type SeriesFilter, type Store } from './condition-store.ts';
import type { Family } from './name-rules.ts';
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
import { listFamilies, listSeries } from './series-store.ts';
import type { SampleWindow } from './time-rules.ts';

export interface SourceLimits {
  readonly series: number;
  readonly samples: number;
}

/** Distinct metrics that one selector may be about. */
const maxFamilies = 20_000;
/**
 * A selector of a metric with so many series reads them once, and their samples by their ids: a sixth less time for 50 of 10,000
 * series (`bench/promql.ts`). It goes if that falls below a tenth.
 */
const fewSeries = 2_000;

/** The families that a selector is about, with the names that their series have in an answer. */
export interface Chosen {
  readonly named: ReadonlyMap<string, readonly Named[]>;
  readonly families: readonly Family[];
  readonly selection: Selection;
  readonly warnings: readonly string[];
  /** Those that meet the conditions on labels; undefined: not read yet. */
  readonly series?: readonly StoredSeries[];
}

export interface Asked {
  readonly store: Store;
  readonly scope: TelemetryScope;
  readonly limits: SourceLimits;
  readonly signal: AbortSignal;
  /** Of the caller; missing where nobody's permissions are known. */
  readonly alerts?: ReadAlerts | undefined;
}

/** As {@link choose}. Where a selector names its metric and there are few series, they are read for it. */
export async function chooseSeries(
  asked: Asked,
  matchers: readonly LabelMatcher[],
  window: SampleWindow,
): Promise<Chosen> {
  const { store, scope, signal } = asked;
  const selection = selectionOf(matchers);
  const exact = exactName(selection);
  if (exact === undefined) return choose(asked, matchers, window);
  const filter = { window, name: exact, conditions: selection.labels };
  const series = await listSeries(store, scope, filter, fewSeries, signal);
  if (series.length > fewSeries) return choose(asked, matchers, window);
  const families = new Map(series.map(({ family }) => [familyKey(family), family]));
  return { ...(await chosenOf(asked, selection, [...families.values()])), series };
}

/** @throws `PROMQL_FAILED` for a selector of too many metrics */
export async function choose(asked: Asked, matchers: readonly LabelMatcher[], window: SampleWindow): Promise<Chosen> {
  const { store, scope, signal } = asked;
  const selection = selectionOf(matchers);
  const filter = { window, name: exactName(selection), conditions: selection.labels };
  const families = await listFamilies(store, scope, filter, maxFamilies + 1, signal);
  if (families.length > maxFamilies) throw tooMany('metrics', maxFamilies);
  return chosenOf(asked, selection, families);
}

async function chosenOf(
  { store, scope, signal }: Asked,
  selection: Selection,
  families: readonly Family[],
): Promise<Chosen> {
  const exact = exactName(selection);
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

export function tooMany(what: string, limit: number) {
  const reason =
    what === 'samples'
      ? `query processing would load too many samples into memory in query execution: more than ${limit}`
      : `the selector matches more than ${limit} ${what}: add matchers`;
  return fail('PROMQL_FAILED', { reason });
}
