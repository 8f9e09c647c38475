import {
  CUSTOM_BUCKETS,
  type Expression,
  formatPromql,
  listedBuckets,
  type NativeHistogram,
  parsePromql,
} from '@fanion/promql';
import { isAlmost } from '../../../../../promql/src/testing/compare.ts';
import type { NotedSeries, Point } from '../../../../../promql/src/testing/notation.ts';
import { type Command, commandsOf, type EvalCommand } from '../../../../../promql/src/testing/script.ts';
import { customBuckets } from '../../../../../promql/src/testing/storage.ts';
import {
  type TestHistogram,
  type TestSeries,
  writeRequest1,
} from '../../../../../telemetry/src/testing/remote-write.ts';
import { type SignedUp, stored, testClient } from '../../../testing/test-client.ts';

/*
 * Scripts in the form of Prometheus' `promqltest`, through the HTTP API: samples are sent by remote write, and queries are asked
 * as its clients ask them. Scripts begin at 1970, whose samples no store keeps; their times are moved to recent ones.
 */

export interface DoorOutcome {
  readonly line: number;
  readonly query: string;
  /** Why it failed; undefined if it passed, or was left out. */
  readonly wrong: string | undefined;
  /** Functions that are experimental in Prometheus, and results that depend on the time of day. */
  readonly leftOut: 'experimental' | 'depends on the time' | undefined;
}

const DAY_MS = 86_400_000;
const OF_TIME =
  /\b(days_in_month|day_of_month|day_of_week|day_of_year|hour|minute|month|year|predict_linear|time|timestamp)\s*\(/;

/** Runs a script. After each `clear` it goes on in another workspace, which `next` gives. */
export async function runScriptThroughDoor(script: string, next: () => Promise<SignedUp>): Promise<DoorOutcome[]> {
  const origin = Math.floor(Date.now() / DAY_MS - 25) * DAY_MS;
  const outcomes: DoorOutcome[] = [];
  let door: ScriptDoor | undefined;
  let hasStartTimes = false;
  for (const command of commandsOf(script)) {
    if (command.kind === 'clear') {
      door = undefined;
      hasStartTimes = false;
      continue;
    }
    door ??= await openDoor(await next(), origin);
    if (command.kind === 'load') {
      hasStartTimes ||= command.hasStartTimes;
      await door.load(command);
      continue;
    }
    const { line, query } = command;
    if (hasStartTimes) outcomes.push({ line, query, wrong: undefined, leftOut: 'experimental' });
    else if (OF_TIME.test(query)) outcomes.push({ line, query, wrong: undefined, leftOut: 'depends on the time' });
    else outcomes.push({ line, query, ...(await door.outcome(command)) });
  }
  return outcomes;
}

interface ScriptDoor {
  load(command: Extract<Command, { kind: 'load' }>): Promise<void>;
  outcome(command: EvalCommand): Promise<Pick<DoorOutcome, 'wrong' | 'leftOut'>>;
}

async function openDoor(workspace: SignedUp, origin: number): Promise<ScriptDoor> {
  const { base } = workspace;
  const client = testClient(base, { bearer: await workspace.token(['telemetry:query']) });
  const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' };
  return {
    async load({ stepMs, series, withCustomBuckets }) {
      const sent: TestSeries[] = series.map((one) => sentSeries(one, origin, stepMs));
      if (withCustomBuckets)
        for (const { labels, time, histogram } of customBuckets(series, stepMs))
          sent.push({ labels: Object.fromEntries(labels), histograms: [sentHistogram(histogram, origin + time)] });
      const answer = await fetch(`${base}/prometheus/api/v1/write`, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${await workspace.token(['telemetry:ingest'])}` },
        body: new Uint8Array(writeRequest1(sent)),
      });
      if (answer.status !== 204) throw new Error(`write: ${answer.status} ${await answer.text()}`);
      await stored(base);
    },
    async outcome(command) {
      const at = (time: number) => String((origin + time) / 1000);
      const query = movedText(command.query, origin);
      const fields: Record<string, string> =
        command.stepMs === 0
          ? { query, time: at(command.start) }
          : { query, start: at(command.start), end: at(command.end), step: String(command.stepMs / 1000) };
      const path = `/prometheus/api/v1/query${command.stepMs === 0 ? '' : '_range'}`;
      const { json } = await client.post(path, new URLSearchParams(fields).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
      });
      return outcomeOf(command, json, origin);
    },
  };
}

/** With the times behind `@` moved. A query with a mistake stays as it is. */
function movedText(query: string, origin: number): string {
  if (!query.includes('@')) return query;
  try {
    return formatPromql(moved(parsePromql(query), origin));
  } catch {
    return query;
  }
}

function moved(expression: Expression, origin: number): Expression {
  const again = (one: Expression) => moved(one, origin);
  switch (expression.kind) {
    case 'selector':
    case 'subquery': {
      const { at } = expression.shift;
      const shift = typeof at === 'number' ? { ...expression.shift, at: at + origin } : expression.shift;
      if (expression.kind === 'selector') return { ...expression, shift };
      return { ...expression, of: again(expression.of), shift };
    }
    case 'unary':
    case 'parentheses':
      return { ...expression, of: again(expression.of) };
    case 'call':
      return { ...expression, args: expression.args.map(again) };
    case 'aggregate':
      return {
        ...expression,
        of: again(expression.of),
        ...(expression.parameter && { parameter: again(expression.parameter) }),
      };
    case 'binary':
      return { ...expression, left: again(expression.left), right: again(expression.right) };
    default:
      return expression;
  }
}

function sentSeries({ labels, points }: NotedSeries, origin: number, stepMs: number): TestSeries {
  const timed = points.map((point, i) => ({ point, time: origin + i * stepMs }));
  return {
    labels: Object.fromEntries(labels),
    samples: timed.flatMap(({ point, time }) =>
      point === 'stale' ? [{ value: 0, time, stale: true }] : typeof point === 'number' ? [{ value: point, time }] : [],
    ),
    histograms: timed.flatMap(({ point, time }) =>
      typeof point === 'object' ? [sentHistogram(point.histogram, time)] : [],
    ),
  };
}

const resetHints = { unknown: 0, reset: 1, 'not-reset': 2, gauge: 3 } as const;

function sentHistogram(histogram: NativeHistogram, time: number): TestHistogram {
  const { schema, count, sum, zeroCount, zeroThreshold, positive, negative, customValues } = histogram;
  const [up, down] = [dense(positive), dense(negative)];
  const isFloat = [count, zeroCount, ...up.counts, ...down.counts].some((one) => !Number.isInteger(one));
  const deltas = (counts: number[]) => counts.map((one, i) => one - (counts[i - 1] ?? 0));
  return {
    ...{ schema, count, sum, zeroCount, zeroThreshold, time },
    positiveSpans: up.spans,
    negativeSpans: down.spans,
    ...(isFloat
      ? { floats: { positive: up.counts, negative: down.counts } }
      : { positiveDeltas: deltas(up.counts), negativeDeltas: deltas(down.counts) }),
    ...(schema === CUSTOM_BUCKETS && { bounds: [...(customValues ?? [])] }),
    resetHint: resetHints[histogram.counterReset],
  };
}

function dense({ indexes, counts }: NativeHistogram['positive']): { spans: [number, number][]; counts: number[] } {
  if (indexes.length === 0) return { spans: [], counts: [] };
  const [first = 0, last = 0] = [indexes[0], indexes.at(-1)];
  const all = new Array<number>(last - first + 1).fill(0);
  indexes.forEach((index, i) => {
    all[index - first] = counts[i] ?? 0;
  });
  return { spans: [[first, all.length]], counts: all };
}

interface JsonHistogram {
  readonly count: string;
  readonly sum: string;
  readonly buckets?: readonly (readonly [number, string, string, string])[];
}
interface JsonSeries {
  readonly metric: Record<string, string>;
  readonly value?: readonly [number, string];
  readonly values?: readonly (readonly [number, string])[];
  readonly histogram?: readonly [number, JsonHistogram];
  readonly histograms?: readonly (readonly [number, JsonHistogram])[];
}
interface JsonAnswer {
  readonly status: string;
  readonly error?: string;
  readonly warnings?: readonly string[];
  readonly infos?: readonly string[];
  readonly data?: { readonly resultType: string; readonly result: unknown };
}

function outcomeOf(command: EvalCommand, answer: JsonAnswer, origin: number): Pick<DoorOutcome, 'wrong' | 'leftOut'> {
  const leftOut = undefined;
  const failure = command.expectations.find(({ kind }) => kind === 'fail');
  if (answer.status !== 'success') {
    const { error = '' } = answer;
    if (/experimental|is not enabled/.test(error)) return { wrong: undefined, leftOut: 'experimental' };
    const said = error.replace(/^invalid parameter "query": /, '');
    if (failure === undefined) return { wrong: `error: ${error}`, leftOut };
    return { wrong: failure.matches(said) ? undefined : `expected the error ${failure.text}, got ${said}`, leftOut };
  }
  if (failure !== undefined) return { wrong: 'expected an error', leftOut };
  return { wrong: notesDifference(command, answer, origin) ?? resultDifference(command, answer, origin), leftOut };
}

function notesDifference(
  { expectations }: EvalCommand,
  { warnings = [], infos = [] }: JsonAnswer,
  origin: number,
): string | undefined {
  for (const [kind, actual] of [['warn', warnings] as const, ['info', infos] as const]) {
    if (expectations.some((one) => one.kind === `no_${kind}`) && actual.length > 0)
      return `unexpected ${kind}: ${actual[0]}`;
    const told = actual.map((note) => note.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => movedBack(time, origin)));
    const missing = expectations.find((one) => one.kind === kind && !told.some(one.matches));
    if (missing !== undefined) return `expected ${kind} ${missing.text}, got ${JSON.stringify(actual)}`;
  }
  return undefined;
}

/** Some notes tell a time of the query. */
function movedBack(time: string, origin: number): string {
  return new Date(Date.parse(time) - origin).toISOString().replace('.000Z', 'Z');
}

function resultDifference(command: EvalCommand, { data }: JsonAnswer, origin: number): string | undefined {
  if (data?.resultType === 'scalar' || data?.resultType === 'string') {
    const [, value] = data.result as [number, string];
    if (data.resultType === 'string') return value === command.text ? undefined : `got the string ${value}`;
    return command.scalar !== undefined && isAlmost(command.scalar, numberOfJson(value))
      ? undefined
      : `got the scalar ${value}`;
  }
  const result = data?.result as readonly JsonSeries[];
  const isVector = data?.resultType === 'vector';
  const expected = new Map(command.series.map((one, place) => [keyOf(Object.fromEntries(one.labels)), { one, place }]));
  const isOrdered = command.expectations.some(({ kind }) => kind === 'ordered');
  for (const [place, { metric, value, values, histogram, histograms }] of result.entries()) {
    const wanted = expected.get(keyOf(metric));
    if (wanted === undefined) return `unexpected ${keyOf(metric)} ${JSON.stringify(value ?? values ?? histogram)}`;
    expected.delete(keyOf(metric));
    if (isOrdered && wanted.place !== place) return `${keyOf(metric)} is at ${place}`;
    const { start, stepMs } = command.range ?? command;
    const points = [...(value ? [value] : (values ?? [])), ...(histogram ? [histogram] : (histograms ?? []))]
      .map(([time, shown]) => [Math.round(time * 1000) - origin, shown] as const)
      .sort(([a], [b]) => a - b);
    const noted = wanted.one.points.flatMap((point, i) =>
      point === undefined ? [] : [{ point, time: isVector ? command.start : start + i * stepMs }],
    );
    if (noted.length !== points.length)
      return `${keyOf(metric)}: expected ${noted.length} points, got ${JSON.stringify(points)}`;
    for (const [i, { point, time }] of noted.entries()) {
      const [actualTime, shown] = points[i] ?? [];
      if (actualTime !== time) return `${keyOf(metric)}: expected ${time}, got ${actualTime}`;
      if (!isSamePoint(point, shown))
        return `${keyOf(metric)} at ${time}: expected ${noteOf(point)}, got ${JSON.stringify(shown)}`;
    }
  }
  const [missing] = expected.keys();
  return missing && `missing ${missing}`;
}

const keyOf = (labels: Record<string, string>) =>
  JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
const numberOfJson = (text: string) => Number(text.replace('Inf', 'Infinity'));

function noteOf(point: Point): string {
  return typeof point === 'object'
    ? JSON.stringify({ ...point.histogram, listed: listedBuckets(point.histogram) })
    : String(point);
}

function isSamePoint(wanted: Point, shown: string | JsonHistogram | undefined): boolean {
  if (shown === undefined) return false;
  if (typeof shown === 'string') return typeof wanted === 'number' && isAlmost(wanted, numberOfJson(shown));
  if (typeof wanted !== 'object') return false;
  const listed = listedBuckets(wanted.histogram);
  const { buckets = [] } = shown;
  return (
    isAlmost(wanted.histogram.count, numberOfJson(shown.count)) &&
    isAlmost(wanted.histogram.sum, numberOfJson(shown.sum)) &&
    listed.length === buckets.length &&
    buckets.every(([boundaries, lower, upper, count], i) => {
      const one = listed[i];
      return (
        one !== undefined &&
        one.boundaries === boundaries &&
        isAlmost(one.lower, numberOfJson(lower)) &&
        isAlmost(one.upper, numberOfJson(upper)) &&
        isAlmost(one.count, numberOfJson(count))
      );
    })
  );
}
