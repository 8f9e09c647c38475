import type { Window } from '../../../platform/time-window.ts';
import type { Parameters } from '../../read/request.ts';
import { storable } from '../../read/window.ts';
import { isStreamKey, labelName, unknownService } from './line-rules.ts';
import { asked, knownKeys, type Reader } from './lines.ts';
import type { Matcher } from './logql/ast.ts';
import { LogqlError } from './logql/error.ts';
import { parseSelector } from './logql/parse.ts';
import { labelExpression } from './push-rules.ts';

const mostValues = 10_000;

export async function labelNames(reader: Reader, parameters: Parameters, window: Window): Promise<string[]> {
  const keys = (await knownKeys(reader, window)).filter(({ scope, key }) => scope === 'resource' && isStreamKey(key));
  const names = [...new Set(keys.map(({ key }) => labelName(key)))].toSorted();
  const query = parameters.one('query');
  if (query === undefined || names.length === 0) return names;
  const sets = await labelSets(reader, parseSelector(query), window, names);
  return names.filter((name) => sets.some((set) => set[name] !== undefined));
}

export async function labelValues(
  reader: Reader,
  label: string,
  parameters: Parameters,
  window: Window,
): Promise<string[]> {
  const sets = await labelSets(reader, parseSelector(parameters.one('query') ?? '{}'), window, [label]);
  return [...new Set(sets.flatMap((set) => set[label] ?? []))].toSorted();
}

/** The streams that any of some selectors chooses. */
export async function streams(
  reader: Reader,
  parameters: Parameters,
  window: Window,
): Promise<Readonly<Record<string, string>>[]> {
  const selectors = [...parameters.all('match[]'), ...parameters.all('match')].filter((text) => text !== '');
  const names = await labelNames(reader, { one: () => undefined, all: () => [] }, window);
  const found = new Map<string, Readonly<Record<string, string>>>();
  for (const text of selectors.length === 0 ? ['{}'] : selectors)
    for (const set of await labelSets(reader, parseSelector(text), window, names)) found.set(JSON.stringify(set), set);
  return [...found.values()];
}

/** The sets of values that lines have for some labels; without those that are empty. */
async function labelSets(
  reader: Reader,
  matchers: readonly Matcher[],
  window: Window,
  labels: readonly string[],
): Promise<Record<string, string>[]> {
  const { fromNs, toNs } = storable(window);
  if (fromNs >= toNs || labels.length === 0) return [];
  const keys = await knownKeys(reader, window, labels);
  const { oql, isFiltered } = await asked(reader, { kind: 'lines', matchers, stages: [] }, window);
  const texts = labels.map((label) => labelExpression(label, keys));
  if (isFiltered || texts.includes(undefined)) throw new LogqlError('a label has a key that cannot be queried');
  const columns = texts.map((text, i) => `l${i} = ${text}`).join(', ');
  const by = labels.map((_, i) => `l${i}`).join(', ');
  const question = {
    oql: `${oql} | extend ${columns} | stats n=count() by ${by}`,
    window: { fromNs, toNs },
    limit: mostValues,
  };
  const { rows, truncated } = await reader.gateway.ask(reader.scope, question, {
    lane: 'interactive',
    signal: reader.signal,
  });
  if (truncated) throw new LogqlError(`there are more than ${mostValues} values: narrow the selector or the window`);
  return rows.map((row) =>
    Object.fromEntries(
      labels.flatMap((label, i) =>
        row[i] === '' || row[i] === null ? [] : [[label, String(row[i] ?? unknownService)]],
      ),
    ),
  );
}
