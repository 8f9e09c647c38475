/** Making a format takes much longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Names are accepted in any mix of cases, so there is no end to them. */
const mostFormats = 500;

/** Whether this machine knows a name of the IANA time zone database. */
export function isTimeZone(name: string): boolean {
  try {
    return formatOf(name) !== undefined;
  } catch {
    return false;
  }
}

/**
 * How far the clocks of a time zone are ahead of UTC at a moment.
 * @param timeZone a name of the IANA time zone database
 * @param ms the moment, in milliseconds since the epoch
 * @returns milliseconds
 * @throws RangeError for a name that this machine does not know
 */
export function offsetAt(timeZone: string, ms: number): number {
  const second = Math.floor(ms / 1_000) * 1_000;
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(second)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: seconds = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
}

/** A moment as a date whose UTC parts (`getUTCHours`) are what the clocks of the time zone show; see `offsetAt`. */
export function wallClock(timeZone: string, ms: number): Date {
  return new Date(ms + offsetAt(timeZone, ms));
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (formats.size >= mostFormats) formats.clear();
  formats.set(timeZone, format);
  return format;
}
