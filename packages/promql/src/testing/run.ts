import type { Expression } from '../ast.ts';
import { PromqlError } from '../error.ts';
import { type Evaluation, evaluate } from '../evaluate.ts';
import { formatPromql } from '../format.ts';
import { parsePromql } from '../parse/index.ts';
import { difference } from './compare.ts';
import { pinned } from './pinned.ts';
import { commandsOf, type EvalCommand } from './script.ts';
import { TestStorage } from './storage.ts';

export interface Outcome {
  readonly line: number;
  readonly query: string;
  /** Why it failed; undefined if it passed. */
  readonly wrong: string | undefined;
  /** The query needs a function that is experimental in Prometheus. */
  readonly isExperimental: boolean;
}

/** Runs a test script in the form of Prometheus' `promqltest`. */
export async function runScript(script: string): Promise<Outcome[]> {
  const storage = new TestStorage();
  const outcomes: Outcome[] = [];
  let hasStartTimes = false;
  for (const command of commandsOf(script)) {
    if (command.kind === 'clear') {
      storage.clear();
      hasStartTimes = false;
    } else if (command.kind === 'load') {
      storage.load(command);
      hasStartTimes ||= command.hasStartTimes;
    } else {
      const outcome = await outcomeOf(command, storage);
      outcomes.push({ ...outcome, isExperimental: outcome.isExperimental || hasStartTimes });
    }
  }
  return outcomes;
}

async function outcomeOf(command: EvalCommand, storage: TestStorage): Promise<Outcome> {
  const { line, query } = command;
  let wrong: string | undefined;
  try {
    wrong = await evalDifference(command, storage);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isExperimental = /experimental|is not enabled/.test(error.message);
    return {
      line,
      query,
      wrong: error instanceof PromqlError ? error.message : (error.stack ?? error.message),
      isExperimental,
    };
  }
  return { line, query, wrong, isExperimental: false };
}

const limits = { steps: 100_000, series: 100_000, samples: 50_000_000 };

async function evalDifference(command: EvalCommand, storage: TestStorage): Promise<string | undefined> {
  const expression = parsePromql(command.query);
  const failure = command.expectations.find(({ kind }) => kind === 'fail');
  const run = (start: number, end: number, step: number) =>
    evaluate(expression, { start, end, step, lookback: 300_000, limits }, storage, new AbortController().signal);
  let evaluation: Evaluation;
  try {
    evaluation = await run(command.start, command.end, command.stepMs);
  } catch (error) {
    if (!(error instanceof PromqlError) || failure === undefined) throw error;
    return failure.matches(error.message) ? undefined : `expected the error ${failure.text}, got ${error.message}`;
  }
  if (failure !== undefined) return 'expected an error';
  const wrong = notesDifference(command, evaluation) ?? difference(command, evaluation.result);
  if (wrong !== undefined || command.stepMs !== 0) return wrong;
  return (await inRange(command, evaluation, run)) ?? atOtherTimes(command, expression, storage);
}

/** With `@`, a query has the same values at any time; its canonical text is the same query. */
async function atOtherTimes(
  command: EvalCommand,
  expression: Expression,
  storage: TestStorage,
): Promise<string | undefined> {
  const fixed = pinned(expression, command.start);
  if (fixed === undefined) return undefined;
  const text = formatPromql(fixed);
  for (const time of [-10 * command.start, 0, command.start / 5, 10 * command.start]) {
    const how = { start: time, end: time, step: 0, lookback: 300_000, limits };
    const { result } = await evaluate(parsePromql(text), how, storage, new AbortController().signal);
    const wrong = difference(command, result);
    if (wrong !== undefined) return `${text} at ${time}: ${wrong}`;
  }
  return undefined;
}

/** An instant query must have the same values as one step of a range query. */
async function inRange(
  command: EvalCommand,
  { result }: Evaluation,
  run: (start: number, end: number, step: number) => Promise<Evaluation>,
): Promise<string | undefined> {
  const isOrdered = command.expectations.some(({ kind }) => kind === 'ordered');
  if (isOrdered || result.type === 'matrix' || result.type === 'string') return undefined;
  const { result: range } = await run(command.start - 60_000, command.start + 60_000, 60_000);
  if (range.type !== 'matrix') return 'expected a matrix from the range query';
  const samples = range.series.flatMap(({ labels, times, values, histograms }) => {
    const at = times.indexOf(command.start);
    const histogram = histograms?.[at];
    return at < 0 ? [] : [{ labels, time: command.start, value: values[at] ?? 0, ...(histogram && { histogram }) }];
  });
  const wrong =
    result.type === 'scalar'
      ? difference(command, { type: 'scalar', time: command.start, value: samples[0]?.value ?? 0 })
      : difference(command, { type: 'vector', samples });
  return wrong && `in range mode: ${wrong}`;
}

function notesDifference({ expectations }: EvalCommand, { warnings, infos }: Evaluation): string | undefined {
  for (const [kind, actual] of [['warn', warnings] as const, ['info', infos] as const]) {
    if (expectations.some((one) => one.kind === `no_${kind}`) && actual.length > 0)
      return `unexpected ${kind}: ${actual[0]}`;
    const expected = expectations.filter((one) => one.kind === kind);
    if (expected.length === 0) continue;
    const missing = expected.find(({ matches }) => !actual.some(matches));
    if (missing !== undefined) return `expected ${kind} ${missing.text}, got ${JSON.stringify(actual)}`;
    const unexpected = actual.find((note) => !expected.some(({ matches }) => matches(note)));
    if (unexpected !== undefined) return `unexpected ${kind}: ${unexpected}`;
  }
  return undefined;
}
