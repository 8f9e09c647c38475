import { parseSemver } from '@fanion/flag-engine';
import { FlagdCore } from '@openfeature/flagd-core';
import { versionKey } from '../text-machines.ts';
import { expanded } from './expanded.ts';

/*
 * JsonLogic as flagd's own evaluator reads it, which is written in Go (flagd core 0.16.0, Apache-2.0, with diegoholiveira/jsonlogic 3.9.1, MIT). Written from how these
 * behave. Where Go's evaluator panics, this throws.
 */

type Value = unknown;
type Args = readonly Value[];
const isMap = (value: Value): value is Record<string, Value> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function apply(logic: Value, data: Value): Value {
  if (Array.isArray(logic)) return logic.map((one) => apply(one, data));
  if (!isMap(logic)) return logic;
  const [[operator = '', given] = [], ...more] = Object.entries(logic);
  if (more.length > 0) return logic;
  const lazy = lazily[operator];
  if (lazy !== undefined) return lazy(given as Args, data);
  const eager = eagerly[operator];
  if (eager === undefined) throw new TypeError(`The operator "${operator}" is not supported`);
  const values = apply(given, data);
  return eager(Array.isArray(values) ? values : [values]);
}

function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isMap(value) ? Object.keys(value).length > 0 : Boolean(value);
}

function toNumber(value: Value): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') throw new TypeError('no number');
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value) ? Number(value) : 0;
}

function toText(value: Value): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return plain(value);
  if (typeof value !== 'string') throw new TypeError('no text');
  return value;
}

/** Never with an exponent. */
function plain(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  return Number.isInteger(value) ? BigInt(value).toString() : value.toFixed(100).replace(/0+$/, '');
}

/** A path into a list: what is no number is 0. */
function read([path, missing = null]: Args, data: Value): Value {
  if (path === '') return data;
  let value = data;
  for (const name of String(path).split('.')) {
    if (isMap(value)) value = value[name];
    else if (Array.isArray(value)) value = value[toNumber(name)];
    else return missing;
    if (value === null || value === undefined) return missing;
  }
  return value;
}

const subjectOf = (given: Value, data: Value) =>
  Array.isArray(given) ? given : isMap(given) ? apply(given, data) : null;

/** `some` reads variables of the context before those of its elements, with their defaults. */
function solved(logic: Value, data: Value): Value {
  if (Array.isArray(logic)) return logic.map((one) => solved(one, data));
  if (!isMap(logic)) return logic;
  const { var: path } = logic;
  if (path !== undefined) return path === '' ? logic : (read(Array.isArray(path) ? path : [path], data) ?? logic);
  return Object.fromEntries(Object.entries(logic).map(([name, value]) => [name, solved(value, data)]));
}

/** A test must be an expression. */
function test(logic: Value, data: Value): boolean {
  if (!isMap(logic)) throw new TypeError('no expression');
  return isTrue(apply(logic, data));
}

const lazily: Readonly<Record<string, (given: Args, data: Value) => Value>> = {
  if(given, data) {
    for (let i = 0; i + 1 < given.length; i += 2) if (isTrue(apply(given[i], data))) return apply(given[i + 1], data);
    return given.length % 2 === 1 ? apply(given.at(-1), data) : null;
  },
  and: (given, data) => firstOf(given, data, false),
  or: (given, data) => firstOf(given, data, true),
  var: (given, data) => read(Array.isArray(given) ? given : [given], data),
  map: ([list, logic], data) => (subjectOf(list, data) as Args).map((one) => apply(logic, one)),
  some([list, logic], data) {
    const outer = solved(logic, data);
    return (subjectOf(list, data) as Args).some((one) => test(solved(outer, one), one));
  },
  // The result has the type of the last argument.
  reduce([list, logic, first], data) {
    const typed = typeof first === 'number' ? toNumber : toText;
    let accumulator: Value = first;
    for (const current of subjectOf(list, data) as Args) {
      if (current === null) continue;
      if (!isMap(logic)) throw new TypeError('no expression');
      accumulator = typed(apply(logic, { current, accumulator }));
    }
    return accumulator;
  },
};

function firstOf(given: Args, data: Value, wanted: boolean): Value {
  let last: Value = null;
  for (const one of given) {
    last = apply(one, data);
    if (isTrue(last) === wanted) return last;
  }
  return last;
}

const isSame = (a: Value, b: Value) => (a ?? null) === (b ?? null);
const isLess = (a: Value, b: Value) =>
  typeof a === 'string' && typeof b === 'string' ? a < b : Number(a ?? 0) < Number(b ?? 0);

const eagerly: Readonly<Record<string, (values: Args) => Value>> = {
  '!': ([value]) => !isTrue(value),
  '===': ([a, b]) => isSame(a, b),
  '!==': ([a, b]) => !isSame(a, b),
  '<': ([a, b]) => isLess(a, b),
  '<=': ([a, b]) => isLess(a, b) || a === b,
  '>': ([a, b]) => isLess(b, a),
  '>=': ([a, b]) => isLess(b, a) || a === b,
  '+': (values) => values.map(toNumber).reduce((sum, value) => sum + value, 0),
  '-': ([first, ...rest]) => rest.map(toNumber).reduce((sum, value) => sum - value, toNumber(first)),
  '*': (values) => values.map(toNumber).reduce((product, value) => product * value, 1),
  '/': ([a, b]) => toNumber(a) / toNumber(b),
  '%': ([a, b]) => toNumber(a) % toNumber(b),
  in([needle, list]) {
    if (typeof list === 'string') {
      if (typeof needle !== 'string') throw new TypeError('no text');
      return list.includes(needle);
    }
    return (list as Args).some((one) => (typeof needle === 'number' ? toNumber(one) === needle : isSame(one, needle)));
  },
  cat: (values) => (values.length === 1 ? toText(values[0]) : values.map(toText).join('').trim()),
  substr: ([of, from, length]) => partOf([...toText(of)], toNumber(from), length).join(''),
  merge: (values) => values.flat(),
  fractional: divided,
  starts_with: ([text, start]) => typeof text === 'string' && text.startsWith(String(start)),
  // Lists and objects are written with brackets.
  sem_ver: ([text, sign, than]) => compares(typeof text === 'object' ? '' : String(text), String(sign), String(than)),
};

const silent = { error() {}, warn() {}, info() {}, debug() {} };

/** As flagd's evaluator for JavaScript does, which hashes ASCII alike. */
function divided([text, ...parts]: Args): Value {
  if (typeof text !== 'string') throw new TypeError('no text');
  const core = new FlagdCore(undefined, silent);
  const variants = Object.fromEntries((parts as [string, number][]).map(([variant]) => [variant, variant]));
  const targeting = { fractional: [{ cat: [text] }, ...parts] };
  core.setConfigurations(JSON.stringify({ flags: { one: { state: 'ENABLED', variants, targeting } } }));
  return core.resolveStringEvaluation('one', '', {}, silent).value;
}

/** Beyond the end, the whole text. */
function partOf(characters: readonly string[], from: number, length: Value): readonly string[] {
  const start = from < 0 ? characters.length + from : from;
  if (start < 0 || start > characters.length) return characters;
  if (length === undefined) return characters.slice(start);
  const end = toNumber(length) < 0 ? characters.length + toNumber(length) : start + toNumber(length);
  if (end < start) throw new RangeError('slice bounds out of range');
  return characters.slice(start, end);
}

function compares(text: string, sign: string, than: string): boolean | null {
  const [one, other] = [parseSemver(text.replace(/^[vV]/, '')), parseSemver(than)];
  if (one === undefined || other === undefined) return null;
  const [a, b] = [versionKey(one), versionKey(other)];
  const isSameTo = (count: number) => one.numbers.slice(0, count).join() === other.numbers.slice(0, count).join();
  const of: Readonly<Record<string, boolean>> = {
    ...{ '=': a === b, '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b },
    ...{ '^': isSameTo(1), '~': isSameTo(2) },
  };
  return of[sign] ?? null;
}

/** The variant that targeting gives, or null. @throws Error where the evaluator panics */
export function targetedInGo(targeting: Value, shared: Value, context: object): Value {
  return apply(expanded(targeting, shared as Readonly<Record<string, Value>>), context);
}
