import { formatTimestamp } from '../format/index.ts';
import { parseWallClock } from '../format/zone.ts';

/** A half-open window as the API takes it: relative (`now-1h`, `now`) or RFC 3339. */
export interface TimeRange {
  from: string;
  to: string;
}

/** The same window resolved against a clock, in epoch milliseconds. */
export interface ResolvedRange {
  from: number;
  to: number;
}

export const DEFAULT_RANGE: TimeRange = { from: 'now-1h', to: 'now' };

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const UNIT_NAMES = { s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week' } as const;
type Unit = keyof typeof UNIT_MS;

/** Ranges offered by one click, in the order of the menu. */
export const PRESETS: readonly string[] = [
  'now-5m',
  'now-15m',
  'now-1h',
  'now-3h',
  'now-6h',
  'now-12h',
  'now-24h',
  'now-2d',
  'now-7d',
  'now-30d',
];

const RELATIVE = /^now(?:([+-])(\d{1,9})([smhdw]))?$/;

/** Epoch milliseconds of `now-1h`, epoch milliseconds, or an RFC 3339 time; null for anything else. */
export function resolveTime(text: string, now: number): number | null {
  const relative = RELATIVE.exec(text.trim());
  if (relative) {
    const [, sign, count, unit] = relative;
    if (!unit) return now;
    return now + (sign === '-' ? -1 : 1) * Number(count) * UNIT_MS[unit as Unit];
  }
  if (/^\d{10,16}$/.test(text)) return Number(text);
  const time = Date.parse(text.trim());
  return Number.isNaN(time) ? null : time;
}

/** The range in milliseconds; null where it does not parse, or ends before it starts. */
export function resolveRange(range: TimeRange, now: number): ResolvedRange | null {
  const from = resolveTime(range.from, now);
  const to = resolveTime(range.to, now);
  return from === null || to === null || from >= to ? null : { from, to };
}

/** Reads `from` and `to` of a URL; anything unreadable falls back to the last hour, so that no link is broken. */
export function rangeFromSearch(search: { from?: string | undefined; to?: string | undefined }): TimeRange {
  const range = { from: search.from ?? DEFAULT_RANGE.from, to: search.to ?? DEFAULT_RANGE.to };
  return resolveRange(range, Date.now()) ? range : DEFAULT_RANGE;
}

/** `Last 15 minutes` for relative ranges, else both ends with what they share said once. */
export function describeRange(range: TimeRange): string {
  const relative = RELATIVE.exec(range.from);
  if (relative?.[3] && relative[1] === '-' && range.to === 'now') {
    const count = Number(relative[2]);
    const name = UNIT_NAMES[relative[3] as Unit];
    return count === 1 ? `Last ${name}` : `Last ${count} ${name}s`;
  }
  const show = (text: string) => (RELATIVE.test(text) ? text : formatTimestamp(text));
  const from = show(range.from);
  const to = show(range.to);
  return from.slice(0, 11) === to.slice(0, 11) && from.length === to.length && from.length > 11
    ? `${from} – ${to.slice(11)}`
    : `${from} – ${to}`;
}

/** A window between two moments, rounded to whole milliseconds; the form that zooming by dragging leaves in the URL. */
export function absoluteRange(from: number, to: number): TimeRange {
  return { from: new Date(Math.floor(from)).toISOString(), to: new Date(Math.ceil(to)).toISOString() };
}

/**
 * The window of the same length just before a range; relative ranges stay relative, so that both move on together.
 * @param now epoch milliseconds
 */
export function previousRange(range: TimeRange, now: number): TimeRange {
  const { from, to } = resolveRange(range, now) ?? { from: now, to: now };
  if (!RELATIVE.test(range.from) || !RELATIVE.test(range.to)) return absoluteRange(2 * from - to, from);
  const ago = (time: number) => {
    const seconds = Math.round((now - time) / 1000);
    return seconds < 0 ? `now+${-seconds}s` : `now-${seconds}s`;
  };
  return { from: ago(2 * from - to), to: ago(from) };
}

/** Twice as wide around the same middle, never past `now`. */
export function zoomOut(range: ResolvedRange, now: number): TimeRange {
  const half = (range.to - range.from) / 2;
  const to = Math.min(range.to + half, now);
  return absoluteRange(to - 4 * half, to);
}

/**
 * What people type into the range field: `5m`, `last 2 hours`, `3d`, `now-1h`, or `A to B` with dates. Null where it
 * cannot be read.
 */
export function parseRangeText(text: string, now: number): TimeRange | null {
  const short = /^(?:last\s+)?(\d{1,9})\s*(s|m|h|d|w|sec|min|hour|day|week)(?:ond|ute)?s?$/i.exec(text.trim());
  if (short) {
    const unit = (short[2] ?? 'm').charAt(0).toLowerCase();
    return { from: `now-${short[1]}${unit}`, to: 'now' };
  }
  const [first, second] = text.split(/\s+(?:to|–|-|—)\s+/);
  if (!first) return null;
  const range = { from: normalTime(first), to: second ? normalTime(second) : 'now' };
  return resolveRange(range, now) ? range : null;
}

function normalTime(text: string): string {
  const trimmed = text.trim();
  if (RELATIVE.test(trimmed)) return trimmed;
  const time = parseWallClock(trimmed) ?? Date.parse(trimmed);
  return Number.isNaN(time) ? trimmed : new Date(time).toISOString();
}
