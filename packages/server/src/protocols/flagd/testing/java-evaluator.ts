import { expanded } from './expanded.ts';

/*
 * JsonLogic as flagd's provider for Java reads it (0.11.15, Apache-2.0, with json-logic-java 1.1.0, MIT, and semver4j 5.8.0, MIT). Written from how these
 * behave. Where Java throws, this throws.
 */

type Value = unknown;
type Args = readonly Value[];
const isMap = (value: Value): value is Record<string, Value> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function apply(logic: Value, data: Value): Value {
  if (Array.isArray(logic)) return logic.map((one) => apply(one, data));
  if (!isMap(logic)) return logic;
  const [[operator = '', given] = [], ...more] = Object.entries(logic);
  if (more.length > 0) throw new TypeError('objects must have exactly 1 key');
  const args: Args = Array.isArray(given) ? given : [given];
  const lazy = lazily[operator];
  if (lazy !== undefined) return lazy(args, data);
  const eager = eagerly[operator];
  if (eager === undefined) throw new TypeError(`Undefined operation '${operator}'`);
  const values = args.map((one) => apply(one, data));
  const [first] = values;
  // A single list becomes the arguments.
  return eager(values.length === 1 && Array.isArray(first) ? first : values);
}

function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isMap(value) || Boolean(value);
}

const javaNumber = /^[\0-\x20]*[+-]?(NaN|Infinity|((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[fFdD]?))[\0-\x20]*$/;

/** Null is no number. */
function toNumber(value: Value): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !javaNumber.test(value)) return null;
  return Number(value.replace(/[fFdD](?=[\0-\x20]*$)/, '').replace(/[\0-\x20]/g, ''));
}

/** Null fails. Numbers of 10 million have an exponent, and those below a thousandth. */
function toText(value: Value): string {
  if (value === null || value === undefined) throw new TypeError('no text');
  if (typeof value === 'number') return numberText(value);
  return isMap(value) || Array.isArray(value) ? ` ${JSON.stringify(value)}` : String(value);
}

function numberText(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-3 && size < 1e7)) return String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`;
}

function read([path, missing = null]: Args, data: Value): Value {
  if (data === null || data === undefined) return missing;
  if (path === '') return data;
  let value: Value = data;
  for (const name of String(path).split('.')) {
    if (Array.isArray(value)) {
      if (!/^[+-]?\d+$/.test(name)) throw new RangeError('no position of a list');
      value = value[Number(name)];
    } else value = isMap(value) && Object.hasOwn(value, name) ? value[name] : null;
    if (value === null || value === undefined) return missing;
  }
  return value;
}

const lazily: Readonly<Record<string, (args: Args, data: Value) => Value>> = {
  if(args, data) {
    for (let i = 0; i + 1 < args.length; i += 2) if (isTrue(apply(args[i], data))) return apply(args[i + 1], data);
    return args.length % 2 === 1 ? apply(args.at(-1), data) : null;
  },
  and: (args, data) => firstOf(args, data, false),
  or: (args, data) => firstOf(args, data, true),
  var: read,
  map([list, logic], data) {
    const subject = apply(list, data);
    return Array.isArray(subject) ? subject.map((one) => apply(logic, one)) : [];
  },
  some([list, logic], data) {
    const subject = apply(list, data);
    if (subject === null) return false;
    if (!Array.isArray(subject)) throw new TypeError('no list');
    return subject.some((one) => isTrue(apply(logic, one)));
  },
  reduce([list, logic, first], data) {
    const subject = apply(list, data);
    const begin = apply(first, data);
    if (!Array.isArray(subject)) return begin;
    return subject.reduce((accumulator, current) => apply(logic, { current, accumulator }), begin);
  },
};

function firstOf(args: Args, data: Value, wanted: boolean): Value {
  if (args.length === 0) throw new TypeError('at least 1 argument');
  let last: Value = null;
  for (const one of args) {
    last = apply(one, data);
    if (isTrue(last) === wanted) return last;
  }
  return last;
}

/** Texts have no order, unless they are numbers. */
const ordered = (holds: (a: number, b: number) => boolean) => (values: Args) => {
  const [a, b] = values.map(toNumber);
  return typeof a === 'number' && typeof b === 'number' && holds(a, b);
};

/** Null, if a value is no number. Only sums and products take the first element of a list. */
const calculated = (how: (a: number, b: number) => number, unwrap: (value: Value) => Value) => (values: Args) => {
  const [first = null, ...rest] = values.map((value) => toNumber(unwrap(value)));
  return rest.reduce<number | null>((sum, value) => (sum === null || value === null ? null : how(sum, value)), first);
};
const itself = (value: Value) => value;
function firstElement(value: Value): Value {
  if (!Array.isArray(value)) return value;
  if (value.length === 0) throw new RangeError('index out of bounds');
  return firstElement(value[0]);
}

/** A list is never equal to another here. */
const isSame = (a: Value, b: Value) => (a ?? null) === (b ?? null);

const eagerly: Readonly<Record<string, (values: Args) => Value>> = {
  '!': ([value]) => !isTrue(value),
  '===': ([a, b]) => isSame(a, b),
  '!==': ([a, b]) => !isSame(a, b),
  '<': ordered((a, b) => a < b),
  '<=': ordered((a, b) => a <= b),
  '>': ordered((a, b) => a > b),
  '>=': ordered((a, b) => a >= b),
  '+': calculated((a, b) => a + b, firstElement),
  '*': calculated((a, b) => a * b, firstElement),
  '-': calculated((a, b) => a - b, itself),
  '/': calculated((a, b) => a / b, itself),
  '%': calculated((a, b) => a % b, itself),
  in([needle, list]) {
    if (typeof list === 'string') return needle !== null && list.includes(toText(needle));
    // 0 and -0 differ.
    return Array.isArray(list) && list.some((one) => Object.is(one ?? null, needle ?? null));
  },
  cat: (values) => values.map(toText).join(''),
  substr: ([of, from, length]) => partOf(toText(of), from, length),
  merge: (values) => values.flat(),
  // Its hash is another.
  fractional: () => null,
  starts_with: ([text, start]) =>
    typeof text === 'string' && typeof start === 'string' ? text.startsWith(start) : null,
  sem_ver: ([text, sign, than]) => compares(String(text), String(sign), String(than)),
};

/** A part that ends beyond the text is empty; one that begins there fails. */
function partOf(text: string, from: Value, length: Value): string {
  if (typeof from !== 'number') throw new TypeError('no number');
  const start = from < 0 ? text.length + from : from;
  if (length === undefined) {
    if (start > text.length) throw new RangeError('string index out of range');
    return start < 0 ? '' : text.slice(start);
  }
  if (typeof length !== 'number') throw new TypeError('no number');
  const end = length < 0 ? text.length + length : start + length;
  if (start > end || end > text.length) return '';
  if (start < 0) throw new RangeError('string index out of range');
  return text.slice(start, end);
}

/** Compares pre-releases of 0.0.0 that are one identifier. Those with digits have an order of their own. */
function compares(text: string, sign: string, than: string): boolean {
  const [a, b] = [text, than].map((one) => /^0\.0\.0-([A-Za-z-]+)$/.exec(one)?.[1]);
  if (a === undefined || b === undefined) throw new RangeError('unknown form of a version');
  const holds: Readonly<Record<string, boolean>> = { '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b };
  const result = holds[sign];
  if (result === undefined) throw new RangeError('unknown sign');
  return result;
}

/** The variant that targeting gives, or null. @throws Error where the provider does */
export function targetedInJava(targeting: Value, shared: Value, context: object): Value {
  return apply(expanded(targeting, shared as Readonly<Record<string, Value>>), context);
}
