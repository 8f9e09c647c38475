import { PromqlError } from '../error.ts';
import { evaluate } from '../evaluate.ts';
import { formatPromql } from '../format.ts';
import type { NativeHistogram } from '../histogram/native-histogram.ts';
import { parsePromql } from '../parse/index.ts';
import { type Answer, difference, type HistogramForm, nativeForm, notesDifference } from './compare.ts';
import { pinned } from './pinned.ts';
import { type Command, commandsOf, type EvalCommand } from './script.ts';
import { TestStorage } from './storage.ts';

export interface Outcome {
  readonly line: number;
  readonly query: string;
  /** Why it failed; undefined if it passed. */
  readonly wrong: string | undefined;
  /** The query needs a function that is experimental in Prometheus. */
  readonly isExperimental: boolean;
  /** Why samples that were loaded before are missing. */
  readonly refusal: string | undefined;
}

/** What a script runs on. Its histograms have the form `H`. */
export interface Target<H> {
  readonly form: HistogramForm<H>;
  /** Whether instant queries are also run with `@` at four other times. */
  readonly asksOtherTimes: boolean;
  clear(): Promise<void>;
  /** Returns why samples were refused, if they were. */
  load(command: Extract<Command, { kind: 'load' }>): Promise<string | undefined>;
  /**
   * Times are milliseconds; a step of 0 is an instant query.
   * @throws PromqlError where the query fails
   */
  ask(query: string, range: AskedRange): Promise<Answer<H>>;
}

export interface AskedRange {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

/** Runs a test script in the form of Prometheus' `promqltest` in this process. */
export function runScript(script: string): Promise<Outcome[]> {
  return runScriptOn(engine(), script);
}

export async function runScriptOn<H>(target: Target<H>, script: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let hasStartTimes = false;
  let refusal: string | undefined;
  for (const command of commandsOf(script)) {
    if (command.kind === 'clear') {
      await target.clear();
      hasStartTimes = false;
      refusal = undefined;
    } else if (command.kind === 'load') {
      refusal = (await target.load(command)) ?? refusal;
      hasStartTimes ||= command.hasStartTimes;
    } else {
      const { wrong, isExperimental } = await judged(command, target);
      const { line, query } = command;
      outcomes.push({ line, query, wrong, refusal, isExperimental: isExperimental || hasStartTimes });
    }
  }
  return outcomes;
}

const limits = { steps: 100_000, series: 100_000, samples: 50_000_000 };

function engine(): Target<NativeHistogram> {
  const storage = new TestStorage();
  return {
    form: nativeForm,
    asksOtherTimes: true,
    clear: async () => storage.clear(),
    async load(command) {
      storage.load(command);
      return undefined;
    },
    ask: (query, range) =>
      evaluate(parsePromql(query), { ...range, lookback: 300_000, limits }, storage, new AbortController().signal),
  };
}

async function judged<H>(command: EvalCommand, target: Target<H>): Promise<Pick<Outcome, 'wrong' | 'isExperimental'>> {
  const failure = command.expectations.find(({ kind }) => kind === 'fail');
  try {
    const range = { start: command.start, end: command.end, step: command.stepMs };
    const answer = await target.ask(command.query, range);
    if (failure !== undefined) return { wrong: 'expected an error', isExperimental: false };
    return { wrong: await answerDifference(command, answer, target), isExperimental: false };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isExperimental = /experimental|is not enabled/.test(error.message);
    if (!(error instanceof PromqlError)) return { wrong: error.stack ?? error.message, isExperimental };
    if (failure === undefined || isExperimental) return { wrong: error.message, isExperimental };
    const isExpected = failure.matches(error.message);
    return {
      wrong: isExpected ? undefined : `expected the error ${failure.text}, got ${error.message}`,
      isExperimental,
    };
  }
}

async function answerDifference<H>(
  command: EvalCommand,
  answer: Answer<H>,
  target: Target<H>,
): Promise<string | undefined> {
  const wrong = notesDifference(command, answer) ?? difference(command, answer.result, target.form);
  if (wrong !== undefined || command.stepMs !== 0) return wrong;
  const inSteps = await inRange(command, answer, target);
  return inSteps === undefined && target.asksOtherTimes ? atOtherTimes(command, target) : inSteps;
}

/** With `@`, a query has the same values at any time; its canonical text is the same query. */
async function atOtherTimes<H>(command: EvalCommand, target: Target<H>): Promise<string | undefined> {
  const fixed = pinned(parsePromql(command.query), command.start);
  if (fixed === undefined) return undefined;
  const text = formatPromql(fixed);
  for (const time of [-10 * command.start, 0, command.start / 5, 10 * command.start]) {
    const { result } = await target.ask(text, { start: time, end: time, step: 0 });
    const wrong = difference(command, result, target.form);
    if (wrong !== undefined) return `${text} at ${time}: ${wrong}`;
  }
  return undefined;
}

/** An instant query must have the same values as one step of a range query. */
async function inRange<H>(
  command: EvalCommand,
  { result }: Answer<H>,
  { ask, form }: Target<H>,
): Promise<string | undefined> {
  const isOrdered = command.expectations.some(({ kind }) => kind === 'ordered');
  if (isOrdered || result.type === 'matrix' || result.type === 'string') return undefined;
  const around = { start: command.start - 60_000, end: command.start + 60_000, step: 60_000 };
  const { result: range } = await ask(command.query, around);
  if (range.type !== 'matrix') return 'expected a matrix from the range query';
  const samples = range.series.flatMap(({ labels, times, values, histograms }) => {
    const at = Array.from(times).indexOf(command.start);
    return at < 0 ? [] : [{ labels, value: values[at] ?? 0, histogram: histograms?.[at] }];
  });
  const wrong =
    result.type === 'scalar'
      ? difference(command, { type: 'scalar', value: samples[0]?.value ?? 0 }, form)
      : difference(command, { type: 'vector', samples }, form);
  return wrong && `in range mode: ${wrong}`;
}
