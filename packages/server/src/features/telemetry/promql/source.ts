import type { SampleSource, SelectRequest } from '@fanion/promql';
import { type Asked, chooseSeries } from './choosing.ts';
import { isCounter } from './counters.ts';
import { isDerived, readDerived } from './derived.ts';
import { mergeSeries } from './merge-rules.ts';
import { readDistributions, readNumbers } from './selecting.ts';
import { exactName, selectionOf } from './selection-rules.ts';
import { storableMs } from './time-rules.ts';

/**
 * Selectors of one expression that are read at the same time. Expressions of published rules have dozens: all at once, they would fill the
 * queue of their workspace, and the expression would be refused because of itself.
 */
const selectorsAtOnce = 2;

/** The stored series of a place, as PromQL's engine reads them: names first, then series, then their samples. */
export function createSource(place: Omit<Asked, 'signal'>): SampleSource {
  const inTurn = createTurns(selectorsAtOnce);
  return { select: (request, signal) => inTurn(() => select(request, { ...place, signal })) };
}

async function select({ matchers, start, end, range }: SelectRequest, asked: Asked) {
  const window = { start: storableMs(start), end: storableMs(end) };
  const selection = selectionOf(matchers);
  const name = exactName(selection);
  const chosen = await chooseSeries(asked, matchers, window);
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
}

const none = { series: [], warnings: [] };

/** Runs so many works at the same time, the others in their order. */
function createTurns(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
