import type { Position } from '../ast.ts';
import { parseError } from './fault.ts';

/** A number or duration with an optional sign: `0x1f`, `1e3`, `-5m`, `1_000`. Durations are in seconds. */
export function numberOf(written: string, at: Position): number {
  const sign = written.startsWith('-') ? -1 : 1;
  const digits = written.replace(/^[+-]\s*/, '').replaceAll('_', '');
  if (/^[+-]?inf$/i.test(digits)) return sign * Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(digits)) return Number.NaN;
  // As in Go, a leading zero means octal, but only in integers that are octal.
  if (/^0[0-7]+$/.test(digits)) return sign * Number.parseInt(digits, 8);
  const value = Number(digits);
  if (value === Number.POSITIVE_INFINITY) throw parseError('error parsing number: value out of range', at);
  return sign * (Number.isNaN(value) ? durationSecondsOf(digits, at) : value);
}

export function isDuration(written: string): boolean {
  return /^[+-]?\s*(\d+(ms|[ywdhms]))+$/.test(written);
}

/** Milliseconds of the units of Prometheus' durations. */
export const DURATION_UNITS_MS: Readonly<Record<string, number>> = {
  y: 31_536_000_000,
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
};

/** Longest duration of Prometheus: the nanoseconds of an int64, in milliseconds. */
const MAX_DURATION_MS = 2 ** 63 / 1e6;

function durationSecondsOf(written: string, at: Position): number {
  if (!isDuration(written)) throw parseError(`bad number or duration syntax: ${JSON.stringify(written)}`, at);
  let total = 0;
  for (const [, amount = '0', unit = ''] of written.matchAll(/(\d+)(ms|[ywdhms])/g))
    total += Number(amount) * (DURATION_UNITS_MS[unit] ?? 0);
  if (total > MAX_DURATION_MS) throw parseError('duration out of range', at);
  return total / 1_000;
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

/** The value of a Go string literal. Escaped bytes above ASCII are read as UTF-8. */
export function stringOf(literal: string, at: Position): string {
  const inner = literal.slice(1, -1);
  if (literal.length < 2 || literal[0] !== literal.at(-1)) throw parseError('unterminated quoted string', at);
  if (literal.startsWith('`') || !inner.includes('\\')) return inner;
  const bytes: number[] = [];
  const utf8 = new TextEncoder();
  for (let i = 0; i < inner.length; ) {
    const escaped = /^\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))/s.exec(
      inner.slice(i, i + 10),
    );
    if (escaped === null) {
      const character = String.fromCodePoint(inner.codePointAt(i) ?? 0);
      bytes.push(...utf8.encode(character));
      i += character.length;
      continue;
    }
    const [all, hex, short, long, octal, other = ''] = escaped;
    const code = short ?? long;
    if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
    else if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff);
    else if (code !== undefined) bytes.push(...utf8.encode(characterOf(Number.parseInt(code, 16), at)));
    else {
      const plain = escapes[other];
      if (plain === undefined) throw parseError(`unknown escape sequence ${JSON.stringify(other)}`, at);
      bytes.push(...utf8.encode(plain));
    }
    i += all.length;
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

function characterOf(code: number, at: Position): string {
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    throw parseError('escape sequence is an invalid Unicode code point', at);
  return String.fromCodePoint(code);
}
