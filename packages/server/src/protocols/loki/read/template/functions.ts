import { bytesOf, durationNs } from '../logql/units-rules.ts';
import { regexFunctions } from './regex-functions.ts';
import { counted, ofTexts, type TemplateFunction } from './signature.ts';
import { textFunctions } from './text-functions.ts';
import { formatTime, knownZone, parseTime, timeText } from './time.ts';
import { isTime, isTrue, plainText, TemplateError, type Time, toFloat, toInt, type Value } from './value.ts';

const named = <T>(names: Readonly<Record<string, T>>, of: (name: string, given: T) => TemplateFunction) =>
  Object.fromEntries(Object.entries(names).map(([name, given]) => [name, of(name, given)]));

const wholes = named<(a: bigint, b: bigint) => bigint>(
  {
    add: (a, b) => a + b,
    sub: (a, b) => a - b,
    mul: (a, b) => a * b,
    div: (a, b) => a / divisor(b),
    mod: (a, b) => a % divisor(b),
    max: (a, b) => (a > b ? a : b),
    min: (a, b) => (a < b ? a : b),
  },
  (name, run) => (args) => {
    counted(name, args, 1, 100);
    return BigInt.asIntN(
      64,
      args.map(toInt).reduce((a, b) => BigInt.asIntN(64, run(a, b))),
    );
  },
);

function divisor(value: bigint): bigint {
  if (value === 0n) throw new TemplateError('division by zero');
  return value;
}

const floats = named<(a: number, b: number) => number>(
  {
    addf: (a, b) => a + b,
    subf: (a, b) => a - b,
    mulf: (a, b) => a * b,
    divf: (a, b) => a / b,
    maxf: Math.max,
    minf: Math.min,
  },
  (name, run) => (args) => {
    counted(name, args, 1, 100);
    return args.map(toFloat).reduce((a, b) => run(a, b));
  },
);

/** As sprig: halves are rounded up by default. */
function round(args: readonly Value[]): number {
  counted('round', args, 2, 3);
  const [value, digits, half] = args;
  const scale = 10 ** Math.min(15, Math.max(-15, Number(toInt(digits))));
  const scaled = scale * toFloat(value);
  const part = Math.abs(scaled % 1);
  const up = part >= (half === undefined ? 0.5 : toFloat(half));
  return ((up ? Math.ceil(scaled) : Math.floor(scaled)) || 0) / scale;
}

const compare = (a: Value, b: Value): number => {
  const isNumber = (one: Value) => typeof one === 'bigint' || typeof one === 'number';
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (isNumber(a) && typeof a === typeof b) return Number(a) === Number(b) ? 0 : Number(a) < Number(b) ? -1 : 1;
  throw new TemplateError('incompatible types for comparison');
};

const comparisons = named<(order: number) => boolean>(
  {
    lt: (order) => order < 0,
    le: (order) => order <= 0,
    gt: (order) => order > 0,
    ge: (order) => order >= 0,
    ne: (order) => order !== 0,
  },
  (name, holds) => (args) => {
    counted(name, args, 2);
    return holds(compare(args[0], args[1]));
  },
);

const utc = (ns: bigint): Time => ({ kind: 'time', ns, zone: 'UTC' });

function timeOf(value: Value): Time {
  if (!isTime(value)) throw new TemplateError('wrong type; expected time.Time');
  return value;
}

/** As Loki: the number of digits tells the unit. */
function unixToTime(text: string): Time {
  const units: Readonly<Record<number, bigint>> = {
    ...{ 5: 86_400_000_000_000n, 10: 1_000_000_000n, 13: 1_000_000n, 16: 1_000n, 19: 1n },
  };
  const unit = /^\d{1,19}$/.test(text) ? units[text.length] : undefined;
  if (unit === undefined) throw new TemplateError(`unable to parse time ${JSON.stringify(text.slice(0, 100))}`);
  return utc(BigInt(text) * unit);
}

const times: Readonly<Record<string, TemplateFunction>> = {
  __timestamp__: (_args, { timeNs }) => utc(timeNs),
  now: () => utc(BigInt(Date.now()) * 1_000_000n),
  date(args) {
    counted('date', args, 2);
    const [layout, value] = args;
    const time = isTime(value) ? value : utc(toInt(value) * 1_000_000_000n);
    return formatTime(time, String(layout));
  },
  toDate: ofTexts('toDate', 2, (layout = '', text = '') => parseTime(layout, text, 'UTC')),
  toDateInZone: ofTexts('toDateInZone', 3, (layout = '', zone = '', text = '') =>
    parseTime(layout, text, knownZone(zone)),
  ),
  unixEpoch: ([value]) => String(timeOf(value).ns / 1_000_000_000n),
  unixEpochMillis: ([value]) => String(timeOf(value).ns / 1_000_000n),
  unixEpochNanos: ([value]) => String(timeOf(value).ns),
  unixToTime: ofTexts('unixToTime', 1, (text = '') => unixToTime(text)),
};

function seconds(text: string): number {
  const ns = durationNs(text);
  if (ns === undefined) throw new TemplateError(`invalid duration ${JSON.stringify(text.slice(0, 100))}`);
  return Number(ns) / 1e9;
}

function size(text: string): number {
  const bytes = bytesOf(text);
  if (bytes === undefined) throw new TemplateError(`invalid size ${JSON.stringify(text.slice(0, 100))}`);
  return bytes;
}

function fromJson(text: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return '';
  }
}

function index([value, ...keys]: readonly Value[]): Value {
  return keys.reduce((of, key) => {
    if (Array.isArray(of) && typeof key === 'bigint' && key >= 0n && key < BigInt(of.length)) return of[Number(key)];
    if (typeof of === 'object' && of !== null && !Array.isArray(of) && !isTime(of) && typeof key === 'string')
      return Object.hasOwn(of, key) ? of[key] : undefined;
    throw new TemplateError("can't index the value");
  }, value);
}

/** The functions of Go's templates and those that Loki documents. */
export const functions: Readonly<Record<string, TemplateFunction>> = {
  ...{ ...textFunctions, ...regexFunctions, ...wholes, ...floats, ...comparisons, ...times },
  __line__: (_args, { line }) => line,
  not: ([value]) => !isTrue(value),
  eq(args) {
    counted('eq', args, 2, 100);
    return args.slice(1).some((one) => compare(args[0], one) === 0);
  },
  len: ([value]) =>
    BigInt(typeof value === 'string' ? Buffer.byteLength(value) : Object.keys((value ?? {}) as object).length),
  index,
  print: (args) => args.map((one) => plainText(one, timeText)).join(''),
  int: ([value]) => toInt(value),
  float64: ([value]) => toFloat(value),
  ceil: ([value]) => Math.ceil(toFloat(value)),
  floor: ([value]) => Math.floor(toFloat(value)),
  round,
  default(args) {
    counted('default', args, 1, 2);
    return args.length === 2 && isTrue(args[1]) ? args[1] : args[0];
  },
  duration: ofTexts('duration', 1, (text = '') => seconds(text)),
  duration_seconds: ofTexts('duration_seconds', 1, (text = '') => seconds(text)),
  bytes: ofTexts('bytes', 1, (text = '') => size(text)),
  fromJson: ofTexts('fromJson', 1, (text = '') => fromJson(text)),
};
