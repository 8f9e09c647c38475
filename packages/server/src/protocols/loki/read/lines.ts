import { printString } from '@fanion/oql';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { scopeOf, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import type { Place } from '../../prometheus/read/queries.ts';
import { type Line, labelOf, lineFields, lineOf } from './line-rules.ts';
import type { LogQuery } from './logql/ast.ts';
import { LogqlError } from './logql/error.ts';
import { storable } from './parameter-rules.ts';
import { matcherOf, pipelineOf, type Step } from './pipeline-rules.ts';
import { type KnownKey, labelsNamed, type Pushed, pushDown } from './push-rules.ts';
import type { LokiLimits } from './settings.ts';

/** What reads lines: the gateway, in the name of a request. */
export interface Reader {
  readonly gateway: Pick<Gateway, 'ask' | 'stream'>;
  readonly scope: TelemetryScope;
  readonly limits: LokiLimits;
  readonly signal: AbortSignal;
}

export function readerOf(gateway: Reader['gateway'], limits: LokiLimits, place: Place): Reader {
  return { gateway, limits, scope: scopeOf(place), signal: place.signal };
}

const mostKeys = 10_000;

/** The keys of attributes of log records in a window; only those of some labels if they are named. */
export async function knownKeys(reader: Reader, window: Window, labels?: readonly string[]): Promise<KnownKey[]> {
  const { fromNs, toNs } = storable(window);
  if (fromNs >= toNs || labels?.length === 0) return [];
  // Each character that is not of a label may have become an underscore.
  const any = labels?.map((label) => label.replace(/^key_(?=\d)/, '').replaceAll('_', '.')).join('|');
  const named = any === undefined ? '' : ` and name =~ ${printString(`^(?s:${any})$`)}`;
  const oql = `fields | where signal == "logs" and scope != "field"${named} | fields scope, name`;
  const budget = { lane: 'interactive', signal: reader.signal } as const;
  const { rows, truncated } = await reader.gateway.ask(
    reader.scope,
    { oql, window: { fromNs, toNs }, limit: mostKeys },
    budget,
  );
  if (truncated) throw new LogqlError(`the window has more than ${mostKeys} names of attributes: choose a shorter one`);
  return rows.map(([scope, key]) => ({ scope: scope === 'resource' ? 'resource' : 'attribute', key: String(key) }));
}

/** The lines of a query that the store returns, and what remains to be done with each. */
export interface Asked {
  readonly oql: string;
  readonly remains: Step;
  /** Whether the rest can leave lines out. */
  readonly isFiltered: boolean;
}

export async function asked(reader: Reader, lines: LogQuery, window: Window): Promise<Asked> {
  // Also finds what is not supported before the store is asked.
  pipelineOf(lines.stages);
  return askedOf(pushDown(lines, await knownKeys(reader, window, labelsNamed(lines))));
}

function askedOf({ conditions, matchers, stages }: Pushed): Asked {
  const where = conditions.map((condition) => ` | where ${condition}`).join('');
  const first = matchers.map((matcher) => ({ name: matcher.name, matches: matcherOf(matcher) }));
  const rest = pipelineOf(stages);
  return {
    oql: `logs${where}`,
    remains: (line) => first.every(({ name, matches }) => matches(labelOf(line, name) ?? '')) && rest(line),
    isFiltered: matchers.length > 0 || stages.some(({ kind }) => kind === 'line_filter' || kind === 'label_filter'),
  };
}

async function page(
  reader: Reader,
  oql: string,
  window: Window,
  limit: number,
): Promise<{ lines: Line[]; truncated: boolean }> {
  const budget = { lane: 'interactive', signal: reader.signal } as const;
  const answer = await reader.gateway.stream(reader.scope, { oql, window, limit }, budget);
  const lines: Line[] = [];
  try {
    for await (const batch of answer.batches) for (const row of batch) lines.push(lineOf(row));
  } finally {
    answer.close();
  }
  return { lines, truncated: answer.told.truncated };
}

/** Lines in the order of their times, and which of them count: some parameters leave lines out. */
export interface Wanted {
  readonly window: Window;
  readonly limit: number;
  readonly isForward: boolean;
  readonly keeps?: (line: Line) => boolean;
}

/** The first lines of a window, page by page where the rest of the query leaves lines out. @throws LogqlError at the bound of read lines */
export async function sortedLines(
  reader: Reader,
  { oql, remains, isFiltered }: Asked,
  wanted: Wanted,
): Promise<Line[]> {
  const { limit, isForward, keeps = () => true } = wanted;
  const sorted = `${oql} | sort ${isForward ? '' : '-'}time | fields ${lineFields}`;
  let { fromNs, toNs } = storable(wanted.window);
  const found: Line[] = [];
  const take = (lines: readonly Line[]) => {
    for (const line of lines) if (found.length < limit && remains(line) && keeps(line)) found.push(line);
  };
  if (fromNs >= toNs) return found;
  if (!isFiltered && wanted.keeps === undefined) {
    take((await page(reader, sorted, { fromNs, toNs }, limit)).lines);
    return found;
  }
  let size = Math.max(1_000, limit);
  for (let read = 0; read <= reader.limits.lines; ) {
    const { lines, truncated } = await page(reader, sorted, { fromNs, toNs }, size);
    read += lines.length;
    const last = lines.at(-1)?.timeNs;
    if (!truncated || last === undefined) {
      take(lines);
      return found;
    }
    // The next page begins with all lines of the last time, unless this one has no others.
    if (lines[0]?.timeNs === last) {
      size *= 4;
      continue;
    }
    take(lines.filter(({ timeNs }) => timeNs !== last));
    if (found.length >= limit) return found;
    if (isForward) fromNs = last;
    else toNs = last + 1n;
    size = Math.min(20_000, size * 2);
  }
  throw new LogqlError(
    `the query read ${reader.limits.lines} lines and found ${found.length} of ${limit}: narrow the selector or the window (FANION_LOKI_LINES)`,
  );
}

/** Calls `take` with each line of a window, in any order. @throws LogqlError if there are too many */
export async function eachLine(
  reader: Reader,
  { oql, remains }: Asked,
  window: Window,
  take: (line: Line) => void,
): Promise<void> {
  const { fromNs, toNs } = storable(window);
  if (fromNs >= toNs) return;
  const { lines: most } = reader.limits;
  const { lines, truncated } = await page(reader, `${oql} | fields ${lineFields}`, { fromNs, toNs }, most);
  if (truncated)
    throw new LogqlError(
      `the query needs more than ${most} lines: narrow the selector or the window (FANION_LOKI_LINES)`,
    );
  for (const line of lines) if (remains(line)) take(line);
}
