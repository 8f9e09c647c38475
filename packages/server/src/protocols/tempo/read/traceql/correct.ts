/**
 * The grammar (`@grafana/lezer-traceql`) reads less than Tempo: this rewrites what it lacks into what it has. Texts and
 * comments stay as they are.
 */
import { TraceqlError } from './error.ts';

/** Begins the name of an attribute that stands for an intrinsic field. No client sends attributes of such a name. */
export const INTRINSIC_MARK = 'fanion:intrinsic:';

const skipped = /"(?:[^"\\]|\\.)*"|`[^`]*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//;
const nested = /(?<![\w.:])(?:nestedSet(?:Parent|Left|Right)|span:childCount)(?![\w.:])/;
const severalUnits = /(?<![\w.])(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h)){2,}(?!\w)/;
const bareFraction = /(?<![\w.)}"`])\.\d+(?!\w)/;
const extremes = /(?<![\w.:])(?:minInt|maxInt)(?![\w.:])/;
const parts = new RegExp(
  [skipped, nested, severalUnits, bareFraction, extremes].map((one) => `(${one.source})`).join('|'),
  'g',
);

/** @throws {TraceqlError} on an invalid escape, or a reserved name */
export function corrected(text: string): string {
  if (text.includes(INTRINSIC_MARK)) throw new TraceqlError(`the name ${INTRINSIC_MARK} is reserved`);
  return text.replace(parts, (whole, isSkipped?: string, intrinsic?: string, duration?: string, fraction?: string) => {
    if (isSkipped !== undefined) return whole.startsWith('"') ? requoted(whole) : whole;
    if (intrinsic !== undefined) return `span.${INTRINSIC_MARK}${intrinsic}`;
    if (duration !== undefined) return `${nanosecondsOf(duration)}ns`;
    if (fraction !== undefined) return `0${fraction}`;
    return whole === 'minInt' ? '(-9223372036854775808)' : '9223372036854775807';
  });
}

const controls: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};

/** A text in quotes with no other escapes than those that the grammar has: of quotes and backslashes. */
function requoted(text: string): string {
  return text.replace(/\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[abfnrtv"\\])?/g, (written, code?: string) => {
    if (code === undefined) throw new TraceqlError(`invalid escape in ${text}`);
    if (code === '"' || code === '\\') return written;
    const character = controls[code] ?? String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return character === '"' || character === '\\' ? `\\${character}` : character;
  });
}

const unitNs: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Nanoseconds of `1h30m` or `1.5s`; fractions of a nanosecond are cut. */
export function nanosecondsOf(text: string): bigint {
  let sum = 0n;
  for (const [, whole = '0', fraction = '', unit = 'ns'] of text.matchAll(/(\d+)(?:\.(\d+))?(ns|us|µs|ms|s|m|h)/g)) {
    const size = unitNs[unit] ?? 1n;
    sum += BigInt(whole) * size + (BigInt(fraction || '0') * size) / 10n ** BigInt(fraction.length);
  }
  return sum;
}
