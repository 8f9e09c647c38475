import type { SampleSource, SelectRequest } from '@fanion/promql';
import { isCounter } from './counters.ts';
import { isDerived, readDerived } from './derived.ts';
import { mergeSeries } from './merge-rules.ts';
import { type Asked, choose, readDistributions, readNumbers } from './selecting.ts';
import { exactName, selectionOf } from './selection-rules.ts';
import { storableMs } from './time-rules.ts';

/** The stored series of a place, as PromQL's engine reads them: names first, then series, then their samples. */
export function createSource(place: Omit<Asked, 'signal'>): SampleSource {
  return {
    async select({ matchers, start, end, range }: SelectRequest, signal: AbortSignal) {
      const asked = { ...place, signal };
      const window = { start: storableMs(start), end: storableMs(end) };
      const selection = selectionOf(matchers);
      const name = exactName(selection);
      const chosen = await choose(asked, matchers, window);
      const isMade = isDerived(name) && !(isCounter(name) && chosen.families.length > 0);
      const derived = isMade ? await readDerived(asked, name, selection, { window, range }) : none;
      const warnings = [...derived.warnings, ...chosen.warnings];
      if (window.start >= window.end || chosen.families.length === 0) return { series: derived.series, warnings };
      const [numbers, distributions] = await Promise.all([
        readNumbers(asked, chosen, window),
        readDistributions(asked, chosen, window),
      ]);
      const merged = mergeSeries([...derived.series, ...numbers, ...distributions]);
      return { series: merged.series, warnings: [...warnings, ...merged.warnings] };
    },
  };
}

const none = { series: [], warnings: [] };
