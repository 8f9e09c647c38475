const NANOSECONDS: Readonly<Record<string, bigint>> = {
  w: 604_800_000_000_000n,
  d: 86_400_000_000_000n,
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  µs: 1_000n,
  ns: 1n,
};
/** The units of durations. */
export const DURATION_UNITS: readonly string[] = ['ns', 'us', 'ms', 's', 'm', 'h', 'd', 'w'];

/** The units of calendar months. */
export const MONTH_UNITS: readonly string[] = ['mo', 'y'];

/** Months of `1y`, `3mo` or `1y6mo`. */
export function parseMonths(text: string): bigint {
  const [, years = '0', months = '0'] = /^(?:(\d+)y)?(?:(\d+)mo)?$/.exec(text) ?? [];
  return BigInt(years) * 12n + BigInt(months);
}

export function printMonths(months: bigint): string {
  const [years, rest] = [months / 12n, months % 12n];
  return `${years > 0n ? `${years}y` : ''}${rest > 0n || years === 0n ? `${rest}mo` : ''}`;
}

const BYTES: Readonly<Record<string, bigint>> = {
  PB: 10n ** 15n,
  PiB: 1n << 50n,
  TB: 10n ** 12n,
  TiB: 1n << 40n,
  GB: 10n ** 9n,
  GiB: 1n << 30n,
  MB: 10n ** 6n,
  MiB: 1n << 20n,
  kB: 1000n,
  KiB: 1024n,
  B: 1n,
};
export const BYTE_UNITS: readonly string[] = Object.keys(BYTES);

/** `number × unit`, computed exactly with integers and truncated. */
function scaled(number: string, unit: bigint): bigint {
  const [whole = '0', fraction = ''] = number.split('.');
  return BigInt(whole) * unit + (BigInt(fraction || '0') * unit) / 10n ** BigInt(fraction.length);
}

/** Nanoseconds of a duration such as `1h30m` or `1.5s`. */
export function parseDuration(text: string): bigint {
  let sum = 0n;
  for (const [, number = '0', unit = 'ns'] of text.matchAll(/(\d+(?:\.\d+)?)([a-zµ]+)/g)) {
    sum += scaled(number, NANOSECONDS[unit] ?? 0n);
  }
  return sum;
}

/** The shortest exact way to write a duration: `1h30m`, `250ms`, `0s`. */
export function printDuration(nanoseconds: bigint): string {
  let rest = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (rest === 0n) return '0s';
  let text = nanoseconds < 0n ? '-' : '';
  for (const unit of ['d', 'h', 'm', 's', 'ms', 'us', 'ns']) {
    const size = NANOSECONDS[unit] ?? 1n;
    if (rest >= size) text += `${rest / size}${unit}`;
    rest %= size;
  }
  return text;
}

/** Bytes of a size such as `10MB` (decimal) or `2KiB` (binary). */
export function parseBytes(text: string): bigint {
  const [, number = '0', unit = 'B'] = /^([\d.]+)(.*)$/.exec(text) ?? [];
  const known = unit.replace(/^K(?!i)/, 'k').replace(/^ki/, 'Ki');
  return scaled(number, BYTES[known] ?? 1n);
}

/** A size in the largest unit that holds it exactly. */
export function printBytes(bytes: bigint): string {
  for (const [unit, size] of Object.entries(BYTES))
    if (bytes >= size && bytes % size === 0n) return `${bytes / size}${unit}`;
  return `${bytes}B`;
}

/** Nanoseconds since the epoch of `2026-11-19`, `2026-11-19T14:53:20.5Z`, `…+01:00`; undefined if the time does not exist. */
export function parseTimestamp(text: string): bigint | undefined {
  const match = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)?$/.exec(text);
  if (!match) return undefined;
  const [, date = '', minutes = '00:00', seconds = ':00', fraction = '', zone = 'Z'] = match;
  const offset = zone === 'Z' ? zone : zone.replace(/^(...)(\d\d)$/, '$1:$2');
  const milliseconds = Date.parse(`${date}T${minutes}${seconds}${offset}`);
  if (Number.isNaN(milliseconds)) return undefined;
  // Some engines' Date.parse moves a day that does not exist (February 30th) to a later one. Reject it everywhere.
  if (new Date(Date.parse(`${date}T00:00:00Z`)).toISOString().slice(0, 10) !== date) return undefined;
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/** RFC 3339 in UTC; the fraction has 0, 3, 6 or 9 digits, as needed. */
export function printTimestamp(nanoseconds: bigint): string {
  const fraction = ((nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const seconds = new Date(Number((nanoseconds - fraction) / 1_000_000n)).toISOString().slice(0, 19);
  return `${seconds}${shortFraction(String(fraction).padStart(9, '0'))}Z`;
}

/** `.123` for `123000000`; empty for zeros. */
export function shortFraction(digits: string): string {
  const cut = digits.replace(/(000)+$/, '');
  return cut === '' ? '' : `.${cut}`;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };

/**
 * The value of a quoted string literal. A backslash that does not begin an escape stays, so that a regular expression
 * needs no double backslashes: `"\d+"`.
 */
export function parseString(literal: string): string {
  const inner = literal.slice(1, literal.length > 1 && literal.endsWith('"') ? -1 : undefined);
  return inner.replace(/\\(u[0-9a-fA-F]{4}|.)/g, (written, code: string) => {
    if (code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return ESCAPES[code] ?? written;
  });
}

/** A string literal; control characters are escaped, other characters stay unchanged. */
export function printString(value: string): string {
  const escaped = value.replace(/[\\"\p{Cc}\p{Cs}\u2028\u2029]/gu, (character) => {
    if (character === '\\' || character === '"') return `\\${character}`;
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    if (character === '\r') return '\\r';
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}
