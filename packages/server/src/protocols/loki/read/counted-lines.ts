import { formatNs, type Window } from '../../../platform/time-window.ts';
import type { Parameters } from '../../read/request.ts';
import { storable } from '../../read/window.ts';
import { asked, knownKeys, type Reader } from './lines.ts';
import { labelNames } from './lists.ts';
import type { Matcher } from './logql/ast.ts';
import { LogqlError } from './logql/error.ts';
import { parseLogql } from './logql/parse.ts';
import { labelExpression } from './push-rules.ts';

/** Lines of a query that the store counts by itself. */
export interface CountedLines {
  readonly oql: string;
  readonly matchers: readonly Matcher[];
}

/** @throws LogqlError unless the store can decide the whole query; without one, all lines */
export async function countedLines(reader: Reader, text: string | undefined, window: Window): Promise<CountedLines> {
  const isAll = text === undefined || /^\s*\{\s*\}\s*$/.test(text);
  const query = isAll ? ({ kind: 'lines', matchers: [], stages: [] } as const) : parseLogql(text);
  if (query.kind !== 'lines') throw new LogqlError('parse error: a selector such as {app="x"} is expected');
  const { oql, isFiltered } = await asked(reader, query, window);
  if (isFiltered) throw new LogqlError('only label matchers, and filters before the first parser, are supported here');
  return { oql, matchers: query.matchers };
}

/** The expressions of labels in OQL. */
export async function expressionsOf(reader: Reader, labels: readonly string[], window: Window): Promise<string[]> {
  const keys = await knownKeys(reader, window, labels);
  return labels.map((label) => {
    const text = labelExpression(label, keys);
    if (text === undefined) throw new LogqlError(`the label ${label} has a key that cannot be queried`);
    return text;
  });
}

/** `| extend l0 = …, l1 = …` */
export function extended(texts: readonly string[]): string {
  return texts.length === 0 ? '' : ` | extend ${texts.map((text, at) => `l${at} = ${text}`).join(', ')}`;
}

/** Steps are numbers of 64 bits in the store, and times end in 2106 there. */
const longestNs = 9_000_000_000_000_000_000n;

const nothing: Parameters = { one: () => undefined, all: () => [] };

/** All labels of streams in a window. */
export function allLabels(reader: Reader, window: Window): Promise<string[]> {
  return labelNames(reader, nothing, window);
}

/** ` | extend cell = …`: the number of a step since the start of the window. */
export function cellOf({ fromNs }: Window, stepNs: bigint): string {
  const width = String(stepNs < longestNs ? stepNs : longestNs);
  return ` | extend since = int(time - ${formatNs(fromNs)}) | extend cell = (since - since % ${width}) / ${width}`;
}

/** The rows of a question; those of an empty window are none. @throws LogqlError if there are more than `limit` */
export async function rowsOf({ gateway, scope, signal }: Reader, oql: string, window: Window, limit: number) {
  const { fromNs, toNs } = storable(window);
  if (fromNs >= toNs) return [];
  const question = { oql, window: { fromNs, toNs }, limit };
  const { rows, truncated } = await gateway.ask(scope, question, { lane: 'interactive', signal });
  if (truncated) throw new LogqlError(`the answer has more than ${limit} rows: narrow the selector or the window`);
  return rows;
}
