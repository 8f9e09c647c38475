/**
 * Patterns of decimal numbers by their order. GrowthBook's SDKs compare a text with a number only in JavaScript; patterns mean the same in all
 * languages.
 */

export type Order = 'lt' | 'lte' | 'gt' | 'gte' | 'eq';

/** A decimal number without its sign. */
interface Magnitude {
  readonly whole: string;
  /** Without zeros at its end. */
  readonly fraction: string;
}

/** Most digits with which different decimal numbers are different doubles. */
const MOST_DIGITS = 15;

/** A pattern of the decimal texts (without exponents) that are below, equal to or above a number; undefined for a number of more than 15 digits. */
export function decimalPattern(order: Order, value: number): string | undefined {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(value)) ?? [];
  if (whole === '' || whole.length + fraction.length > MOST_DIGITS) return undefined;
  const of = { whole, fraction };
  const isZero = value === 0;
  const isNegative = sign === '-' && !isZero;
  const any = '(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)';
  const equal = `${isZero ? '[+-]?' : isNegative ? '-' : '\\+?'}${equalTo(of)}`;
  const above = isNegative ? [`-(?:${below(of)})`, `\\+?${any}`] : [`\\+?(?:${beyond(of)})`];
  const less = isNegative
    ? [`-(?:${beyond(of)})`]
    : [...(isZero ? [] : [`\\+?(?:${below(of)})`]), `-${isZero ? `(?:${beyond(of)})` : any}`];
  const parts = {
    lt: less,
    lte: [...less, equal],
    gt: above,
    gte: [...above, equal],
    eq: [equal],
  }[order];
  return `(?:${parts.join('|')})`;
}

/** Texts with more digits may be equal as doubles. */
export const tooLong = `^.{${MOST_DIGITS + 2}}`;

function equalTo({ whole, fraction }: Magnitude): string {
  if (fraction !== '') return `${zerosAnd(whole)}\\.${fraction}0*`;
  return whole === '0' ? '(?:0+(?:\\.0*)?|\\.0+)' : `0*${whole}(?:\\.0*)?`;
}

/** The whole part; that of 0 may be missing. */
function zerosAnd(whole: string): string {
  return whole === '0' ? '0*' : `0*${whole}`;
}

function beyond({ whole, fraction }: Magnitude): string {
  const greater = digitsFrom(fraction, (digit) => range(digit + 1, 9)).map(
    ({ same, other }) => `${same}${other}[0-9]*`,
  );
  const longer = `${fraction}[0-9]*[1-9][0-9]*`;
  return `0*(?:${greaterWhole(whole).join('|')})(?:\\.[0-9]*)?|${zerosAnd(whole)}\\.(?:${[...greater, longer].join('|')})`;
}

function below({ whole, fraction }: Magnitude): string {
  const parts = whole === '0' ? [] : [`0*(?:${lessDigits(whole).join('|')})(?:\\.[0-9]*)?`, '\\.[0-9]+'];
  if (fraction === '') return parts.join('|');
  // Each beginning of the fraction is less than it, since it does not end with zeros.
  const fractions = [...fraction].flatMap((digit, at) => {
    const [same, smaller] = [fraction.slice(0, at), range(0, Number(digit) - 1)];
    return [...(at === 0 ? [] : [same]), ...(smaller === undefined ? [] : [`${same}${smaller}[0-9]*`])];
  });
  const least = whole === '0' ? '0+' : `0*${whole}`;
  const less = fractions.length === 0 ? [] : [`${zerosAnd(whole)}\\.(?:${fractions.join('|')})`];
  return [...parts, `${least}\\.?`, ...less].join('|');
}

/** Patterns of the numbers below one that is not 0, after zeros at their beginning. */
function lessDigits(whole: string): string[] {
  const shorter = whole.length > 1 ? `[0-9]{1,${whole.length - 1}}` : '0';
  return [shorter, ...digitsFrom(whole, (digit) => range(0, digit - 1)).map(filled)];
}

const filled = ({ same, other, left }: Differing) => `${same}${other}${anyDigits(left)}`;

/** Patterns of whole numbers without zeros at their beginning that are greater. */
export function greaterWhole(whole: string): string[] {
  return [`[1-9][0-9]{${whole.length},}`, ...digitsFrom(whole, (digit) => range(digit + 1, 9)).map(filled)];
}

/** Patterns of whole numbers without zeros at their beginning that are smaller; none for 0. */
export function smallerWhole(whole: string): string[] {
  const least = whole.length > 1 ? 1 : 0;
  const same = digitsFrom(whole, (digit, at) => range(at === 0 ? least : 0, digit - 1)).map(filled);
  return whole.length > 1 ? ['0', `[1-9]${whole.length > 2 ? `[0-9]{0,${whole.length - 2}}` : ''}`, ...same] : same;
}

interface Differing {
  /** The digits before. */
  readonly same: string;
  /** A class of digits instead of this one. */
  readonly other: string;
  /** How many digits follow. */
  readonly left: number;
}

/** For each digit, where another may be: what is before it, and the class of the others. */
function digitsFrom(digits: string, others: (digit: number, at: number) => string | undefined): Differing[] {
  return [...digits].flatMap((digit, at) => {
    const other = others(Number(digit), at);
    return other === undefined ? [] : [{ same: digits.slice(0, at), other, left: digits.length - at - 1 }];
  });
}

function range(from: number, to: number): string | undefined {
  return from > to ? undefined : from === to ? String(from) : `[${from}-${to}]`;
}

function anyDigits(count: number): string {
  return count === 0 ? '' : `[0-9]{${count}}`;
}
