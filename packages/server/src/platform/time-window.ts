import { unitMs } from './durations.ts';
import { fail } from './fail.ts';

export interface Window {
  readonly fromNs: bigint;
  readonly toNs: bigint;
}

const relative = /^now(?:([+-])(\d{1,9})([smhdw]))?$/;
const rfc3339 = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.(\d{1,9}))?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;
const nsPerMs = 1_000_000n;
const defaultWindowMs = 3_600_000;
/** ClickHouse's DateTime64(9) ends in 2262. */
const latestNs = 9_223_372_036_854_775_807n;

/**
 * Parses a point in time: RFC 3339 (nanoseconds kept), epoch milliseconds, or `now-1h`. Returns nanoseconds since the
 * epoch. Throws `WINDOW_INVALID`.
 */
export function parseTime(input: string | number, name: string, nowMs: number): bigint {
  if (typeof input === 'number') return atMs(input, name);
  const text = input.trim();
  const ago = relative.exec(text);
  if (ago) {
    const [, sign, count, unit] = ago;
    if (count === undefined || unit === undefined) return atMs(nowMs, name);
    return atMs(nowMs + (sign === '-' ? -1 : 1) * Number(count) * (unitMs[unit] ?? 0), name);
  }
  if (/^\d{10,16}$/.test(text)) return atMs(Number(text), name);
  const iso = rfc3339.exec(text);
  if (iso) {
    const zoned = /[T ]/i.test(text) && !/(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? `${text}Z` : text;
    const ms = Date.parse(zoned.replace(/\.\d+/, ''));
    if (!Number.isNaN(ms)) return atMs(ms, name) + BigInt((iso[1] ?? '').padEnd(9, '0'));
  }
  throw fail('WINDOW_INVALID', {
    reason: `${name} is neither RFC 3339, epoch milliseconds nor relative such as now-1h`,
  });
}

function atMs(ms: number, name: string): bigint {
  const ns = BigInt(Math.trunc(ms)) * nsPerMs;
  if (ns < 0n || ns > latestNs) throw fail('WINDOW_INVALID', { reason: `${name} is before 1970 or after 2262` });
  return ns;
}

/** Parses a half-open window, by default the last hour. */
export function parseWindow(
  input: { from?: string | number | undefined; to?: string | number | undefined },
  nowMs: number,
): Window {
  const toNs = input.to === undefined ? BigInt(nowMs) * nsPerMs : parseTime(input.to, 'to', nowMs);
  const fromNs =
    input.from === undefined ? toNs - BigInt(defaultWindowMs) * nsPerMs : parseTime(input.from, 'from', nowMs);
  if (fromNs >= toNs) throw fail('WINDOW_INVALID', { reason: 'from must be before to' });
  return { fromNs, toNs };
}

/** RFC 3339 with nine digits. */
export function formatNs(ns: bigint): string {
  const ms = Number(ns / nsPerMs);
  return `${new Date(ms).toISOString().slice(0, 19)}.${String(ns % 1_000_000_000n).padStart(9, '0')}Z`;
}
