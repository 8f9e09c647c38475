import { DURATION_UNITS_MS } from '../parse/literals.ts';
import { type NotedSeries, numberOf, seriesOf } from './notation.ts';

/** Commands of Prometheus' test scripts (`promql/promqltest/README.md`, Apache-2.0). Times are milliseconds. */
export type Command =
  | { readonly kind: 'clear' }
  | {
      readonly kind: 'load';
      readonly stepMs: number;
      readonly withCustomBuckets: boolean;
      /** Start times of samples, which only count with an experimental feature. */
      readonly hasStartTimes: boolean;
      readonly series: readonly NotedSeries[];
    }
  | EvalCommand;

export interface EvalCommand {
  readonly kind: 'eval';
  readonly line: number;
  readonly query: string;
  readonly start: number;
  readonly end: number;
  /** 0: an instant query. */
  readonly stepMs: number;
  readonly expectations: readonly Expectation[];
  readonly scalar?: number;
  readonly text?: string;
  readonly series: readonly NotedSeries[];
  /** The times of an expected range vector. */
  readonly range?: { readonly start: number; readonly end: number; readonly stepMs: number };
}

export interface Expectation {
  readonly kind: 'fail' | 'ordered' | 'warn' | 'info' | 'no_warn' | 'no_info';
  readonly matches: (text: string) => boolean;
  readonly text: string;
}

export function commandsOf(script: string): Command[] {
  const lines = script.split('\n').map((line) => line.trim().replace(/^#.*/, ''));
  const commands: Command[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? '';
    if (line === '') continue;
    const end = lines.indexOf('', i);
    const block = lines.slice(i + 1, end < 0 ? undefined : end);
    if (/^clear$/.test(line)) {
      commands.push({ kind: 'clear' });
      continue;
    }
    commands.push(line.startsWith('load') ? loadOf(line, block) : evalOf(line, block, i + 1));
    i += block.length;
  }
  return commands;
}

function loadOf(line: string, block: readonly string[]): Command {
  const [, suffix, step = ''] = /^load(?:_(with_nhcb))?\s+(.+?)$/.exec(line) ?? [];
  const isStart = (one: string) => /^\S+@st\s/.test(one);
  return {
    kind: 'load',
    stepMs: durationOf(step),
    withCustomBuckets: suffix !== undefined,
    hasStartTimes: block.some(isStart),
    series: block.filter((one) => !isStart(one)).map(seriesOf),
  };
}

function evalOf(line: string, block: readonly string[], number: number): EvalCommand {
  const instant = /^eval(?:_(fail|warn|ordered|info))?\s+instant\s+(?:at\s+(.+?))?\s+(.+)$/.exec(line);
  const range = /^eval(?:_(fail|warn|info))?\s+range\s+from\s+(.+)\s+to\s+(.+)\s+step\s+(.+?)\s+(.+)$/.exec(line);
  const [, kind, at = '', instantQuery = ''] = instant ?? [];
  const [, rangeKind, from = '', to = '', step = '', rangeQuery = ''] = range ?? [];
  if (instant === null && range === null) throw new Error(`line ${number}: not a command: ${line}`);
  const old = kind ?? rangeKind;
  const expected = block.filter((one) => one.startsWith('expect ') || one.startsWith('expected_'));
  const results = block.filter((one) => !expected.includes(one));
  const text = expected.flatMap((one) => /^expect string\s+["`](.*)["`]$/.exec(one)?.[1] ?? [])[0];
  const times = expected.flatMap((one) => rangeOf(one) ?? [])[0];
  const isNumber = results.length === 1 && /^[+-]?(\d[\w.+-]*|\.\d+|inf|nan)$/i.test(results[0] ?? '');
  return {
    kind: 'eval',
    line: number,
    query: instant === null ? rangeQuery : instantQuery,
    start: durationOf(instant === null ? from : at),
    end: durationOf(instant === null ? to : at),
    stepMs: instant === null ? durationOf(step) : 0,
    expectations: [
      ...(old === undefined ? [] : [oldExpectation(old)]),
      ...expected.flatMap((one) => expectationOf(one) ?? []),
    ],
    ...(isNumber && { scalar: numberOf(results[0] ?? '') }),
    ...(text !== undefined && { text }),
    series: isNumber ? [] : results.map(seriesOf),
    ...(times && { range: times }),
  };
}

function oldExpectation(kind: string): Expectation {
  return { kind: kind as Expectation['kind'], matches: () => true, text: kind };
}

function rangeOf(line: string): EvalCommand['range'] {
  const [, from, to = '', step = ''] = /^expect range vector\s+from\s+(.+)\s+to\s+(.+)\s+step\s+(.+)$/.exec(line) ?? [];
  return from === undefined ? undefined : { start: durationOf(from), end: durationOf(to), stepMs: durationOf(step) };
}

function expectationOf(line: string): Expectation | undefined {
  const oldFailure = /^expected_fail_(message|regexp)\s+(.+)$/.exec(line);
  const [, kind, how, text = ''] =
    /^expect\s+(ordered|fail|warn|no_warn|info|no_info)(?:\s+(regex|msg):(.+))?$/.exec(line) ?? [];
  if (oldFailure !== null) return matching('fail', oldFailure[1] === 'regexp' ? 'regex' : 'msg', oldFailure[2] ?? '');
  return kind === undefined ? undefined : matching(kind as Expectation['kind'], how, text);
}

/** The expressions are those of a test script, not of users. */
function matching(kind: Expectation['kind'], how: string | undefined, text: string): Expectation {
  const wanted = text.trim();
  if (how === undefined) return { kind, matches: () => true, text: '' };
  if (how === 'msg') return { kind, matches: (actual) => actual === wanted, text: wanted };
  const pattern = new RegExp(wanted);
  return { kind, matches: (actual) => pattern.test(actual), text: wanted };
}

function durationOf(text: string): number {
  if (text === '0' || text === '') return 0;
  const parts = [...text.matchAll(/(\d+)(ms|[ywdhms])/g)];
  if (parts.map(([all]) => all).join('') !== text) throw new Error(`not a duration: ${text}`);
  return parts.reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (DURATION_UNITS_MS[unit] ?? 0), 0);
}
