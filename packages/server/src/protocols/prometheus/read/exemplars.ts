import { matchersOf, selectorsOf } from '@fanion/promql';
import {
  type Asked,
  choose,
  describe,
  type ExemplarRow,
  familyKey,
  filterOf,
  groupsOf,
  keyOf,
  labelName,
  labelsOf,
  listExemplars,
  namedLabels,
  numberOf,
  type SampleWindow,
} from '../../../features/telemetry/promql/index.ts';
import type { Parameters } from '../../read/request.ts';
import { parsed } from './queries.ts';
import { valueText } from './result-json.ts';

/** Exemplars of one answer. */
const maxExemplars = 10_000;

interface SeriesExemplars {
  readonly seriesLabels: Readonly<Record<string, string>>;
  readonly exemplars: readonly { readonly labels: object; readonly value: string; readonly timestamp: number }[];
}

/** The exemplars of the series that the selectors of an expression are about. */
export async function exemplarsOf(
  asked: Asked,
  parameters: Parameters,
  window: SampleWindow,
): Promise<SeriesExemplars[]> {
  const found = new Map<string, SeriesExemplars>();
  for (const selector of selectorsOf(parsed(parameters.one('query')))) {
    const chosen = await choose(asked, matchersOf(selector), window);
    if (chosen.families.length === 0) continue;
    const filter = filterOf(chosen, chosen.families, window);
    const [described, rows] = await Promise.all([
      describe(asked, chosen, filter),
      listExemplars(asked.store, asked.scope, filter, maxExemplars, asked.signal),
    ]);
    const byId = groupsOf(rows);
    for (const series of described) {
      const own = byId.get(series.id);
      // The parts of a histogram have the same exemplars: one of them is enough.
      const [named] = chosen.named.get(familyKey(series.family)) ?? [];
      if (own === undefined || named === undefined) continue;
      const labels = namedLabels(named.name, labelsOf(series));
      found.set(keyOf(labels), { seriesLabels: Object.fromEntries(labels), exemplars: own.map(exemplarOf) });
    }
  }
  return [...found.values()];
}

function exemplarOf({ ms, value, trace_id, span_id, pairs }: ExemplarRow): SeriesExemplars['exemplars'][number] {
  const labels = {
    ...Object.fromEntries(pairs.map(([key, text]) => [labelName(key), text])),
    ...(trace_id !== '' && { trace_id }),
    ...(span_id !== '' && { span_id }),
  };
  return { labels, value: valueText(numberOf(value)), timestamp: Number(ms) / 1000 };
}
