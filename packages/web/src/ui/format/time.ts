import { wallClock } from './zone.ts';

/** `YYYY-MM-DD HH:MM:SS[.mmm]`, in the chosen zone unless `utc`. */
export function formatTimestamp(
  value: string | number | Date | null | undefined,
  { utc = false, milliseconds = false, date = true }: { utc?: boolean; milliseconds?: boolean; date?: boolean } = {},
): string {
  const time = toDate(value);
  if (!time) return '–';
  const wall = utc ? time : wallClock(time.getTime());
  const part = (value: number, width = 2) => String(value).padStart(width, '0');
  const day = `${part(wall.getUTCFullYear(), 4)}-${part(wall.getUTCMonth() + 1)}-${part(wall.getUTCDate())}`;
  const clock = `${part(wall.getUTCHours())}:${part(wall.getUTCMinutes())}:${part(wall.getUTCSeconds())}`;
  const fraction = milliseconds ? `.${part(wall.getUTCMilliseconds(), 3)}` : '';
  return `${date ? `${day} ` : ''}${clock}${fraction}`;
}

/** What stands in a tooltip beside a local time: the same moment in UTC. */
export function formatUtc(value: string | number | Date | null | undefined): string {
  const text = formatTimestamp(value, { utc: true, milliseconds: true });
  return text === '–' ? text : `${text} UTC`;
}

/**
 * Parses RFC 3339 (also with nanoseconds), ClickHouse's `YYYY-MM-DD hh:mm:ss[.n]` (taken as UTC), and epoch
 * milliseconds. Null for anything else.
 */
export function toDate(value: string | number | Date | null | undefined): Date | null {
  if (value === null || value === undefined || value === '') return null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value;
  if (typeof value === 'number') return Number.isFinite(value) ? new Date(value) : null;
  const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/.exec(value);
  const text = match ? `${match[1]}T${match[2]}${(match[3] ?? '').slice(0, 4)}${match[4] ?? 'Z'}` : value;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? null : time;
}

const AGO = [
  { limit: 60_000, size: 1000, unit: 's' },
  { limit: 3_600_000, size: 60_000, unit: 'm' },
  { limit: 86_400_000, size: 3_600_000, unit: 'h' },
  { limit: 30 * 86_400_000, size: 86_400_000, unit: 'd' },
] as const;

/** How long ago, in one unit: `now`, `42s ago`, `5m ago`, `3h ago`, `12d ago`; older than a month is its date. */
export function formatAgo(value: string | number | Date | null | undefined, now: number): string {
  const time = toDate(value);
  if (!time) return '–';
  const elapsed = now - time.getTime();
  const magnitude = Math.abs(elapsed);
  if (magnitude < 3000) return 'now';
  for (const { limit, size, unit } of AGO) {
    if (magnitude < limit) {
      const count = Math.floor(magnitude / size);
      return elapsed > 0 ? `${count}${unit} ago` : `in ${count}${unit}`;
    }
  }
  return formatTimestamp(time).slice(0, 10);
}
