import { printString } from '@fanion/oql';
import { createBreath } from '../../../platform/breath.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { scopeOf, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import type { Window } from '../../../platform/time-window.ts';
import type { Place } from '../../read/request.ts';
import { storable } from '../../read/window.ts';
import { type Line, labelOf, lineFields, lineOf } from './line-rules.ts';
import type { LogQuery } from './logql/ast.ts';
import { LogqlError } from './logql/error.ts';
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

/** Calls `take` with lines as the store sends them; other requests get a turn in between. Returns whether there are more. */
export async function readLines(
  { gateway, scope, signal }: Reader,
  oql: string,
  { window, limit }: { window: Window; limit: number },
  take: (line: Line) => void,
): Promise<boolean> {
  const breath = createBreath();
  const answer = await gateway.stream(scope, { oql, window, limit }, { lane: 'interactive', signal });
  try {
    for await (const batch of answer.batches)
      for (const row of batch) {
        take(lineOf(row));
        await breath();
      }
  } finally {
    answer.close();
  }
  return answer.told.truncated;
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
  const { fromNs, toNs } = storable(wanted.window);
  const found: Line[] = [];
  const take = (line: Line) => {
    if (found.length < limit && remains(line) && keeps(line)) found.push(line);
  };
  if (fromNs >= toNs) return found;
  if (isFiltered || wanted.keeps !== undefined) await takePages(reader, sorted, wanted, take, () => found.length);
  else await readLines(reader, sorted, { window: { fromNs, toNs }, limit }, take);
  return found;
}

/** Takes the lines of a window in their order until `found` reaches the limit. */
async function takePages(
  reader: Reader,
  sorted: string,
  { window, limit, isForward }: Wanted,
  take: (line: Line) => void,
  found: () => number,
): Promise<void> {
  const breath = createBreath();
  let { fromNs, toNs } = storable(window);
  let size = Math.max(1_000, limit);
  for (let read = 0; read <= reader.limits.lines; ) {
    const lines: Line[] = [];
    const isMore = await readLines(reader, sorted, { window: { fromNs, toNs }, limit: size }, (line) => {
      lines.push(line);
    });
    read += lines.length;
    const last = lines.at(-1)?.timeNs;
    // The next page begins with all lines of the last time, unless this one has no others.
    if (isMore && lines[0]?.timeNs === last) {
      size *= 4;
      continue;
    }
    for (const line of lines) {
      if (isMore && line.timeNs === last) break;
      take(line);
      await breath();
    }
    if (!isMore || last === undefined || found() >= limit) return;
    if (isForward) fromNs = last;
    else toNs = last + 1n;
    size = Math.min(20_000, size * 2);
  }
  throw new LogqlError(
    `the query read ${reader.limits.lines} lines and found ${found()} of ${limit}: narrow the selector or the window (FANION_LOKI_LINES)`,
  );
}

/** Calls `take` with each line of a window, by rising time. @throws LogqlError if there are too many */
export async function eachLine(
  reader: Reader,
  { oql, remains }: Asked,
  window: Window,
  take: (line: Line) => void,
): Promise<void> {
  const { fromNs, toNs } = storable(window);
  if (fromNs >= toNs) return;
  const { lines: most } = reader.limits;
  const asked = { window: { fromNs, toNs }, limit: most };
  const isMore = await readLines(reader, `${oql} | sort time | fields ${lineFields}`, asked, (line) => {
    if (remains(line)) take(line);
  });
  if (isMore)
    throw new LogqlError(
      `the query needs more than ${most} lines: narrow the selector or the window (FANION_LOKI_LINES)`,
    );
}
