/** The name of a time zone as the store knows it, which is strict about its case; undefined if the zone does not exist. */
export function timeZone(written: string): string | undefined {
  // An offset such as `+02:00` is not a name in the time zone database.
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(written)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: written }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export function noZone(written: string): string {
  return `There is no time zone \`${written}\`. Use a name from the IANA database, such as "Europe/Berlin" or "America/Denver".`;
}

/** A step of the calendar. The months of a step differ in length, and in many time zones its days do too. */
export interface CalendarStep {
  readonly unit: 'day' | 'month';
  readonly count: bigint;
}

const MS = 1_000_000n;
const DAY_MS = 86_400_000;

/**
 * The moment that is a number of calendar days or months earlier, at the same time of the day in a time zone. The 31st of a
 * month becomes the last day of a shorter one. A time that the clocks skip becomes the one an hour later.
 */
export function earlier(nanoseconds: bigint, { unit, count }: CalendarStep, zone: string): bigint {
  const offsetAt = offsets(zone);
  const rest = ((nanoseconds % MS) + MS) % MS;
  const ms = Number((nanoseconds - rest) / MS);
  const local = ms + offsetAt(ms);
  const moved = unit === 'day' ? local - Number(count) * DAY_MS : monthsBefore(local, Number(count));
  return BigInt(instantOf(moved, offsetAt)) * MS + rest;
}

/** 1970-01-05, the first Monday after the epoch: weeks begin on Mondays. */
export const FIRST_MONDAY = 4n;

/** The beginning and the end of the bucket of the calendar that contains a moment. */
export function bucketAround(nanoseconds: bigint, { unit, count }: CalendarStep, zone: string) {
  const offsetAt = offsets(zone);
  const ms = Number(nanoseconds / MS);
  const date = new Date(ms + offsetAt(ms));
  const width = Number(count);
  const offset = unit === 'day' && count % 7n === 0n ? Number(FIRST_MONDAY) : 0;
  const step = unit === 'day' ? Math.floor(date.getTime() / DAY_MS) : date.getUTCFullYear() * 12 + date.getUTCMonth();
  const first = Math.trunc((step - offset) / width) * width + offset;
  const startOf = (at: number) => {
    const midnight = unit === 'day' ? at * DAY_MS : Date.UTC(Math.floor(at / 12), at % 12, 1);
    return BigInt(instantOf(midnight, offsetAt)) * MS;
  };
  return { fromNs: startOf(first), toNs: startOf(first + width) };
}

/** The first moment at which the clocks show a local time; the moment of their change if they skip it. */
function instantOf(local: number, offsetAt: (milliseconds: number) => number): number {
  const [before, after] = [offsetAt(local - DAY_MS), offsetAt(local + DAY_MS)];
  const real = [local - before, local - after].filter((at) => at + offsetAt(at) === local);
  return real.length > 0 ? Math.min(...real) : local - before;
}

function monthsBefore(local: number, count: number): number {
  const at = new Date(local);
  const month = at.getUTCFullYear() * 12 + at.getUTCMonth() - count;
  const lastDay = new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).getUTCDate();
  const day = Math.min(at.getUTCDate(), lastDay);
  return Date.UTC(Math.floor(month / 12), month % 12, day) + (((local % DAY_MS) + DAY_MS) % DAY_MS);
}

let formats: { readonly zone: string; readonly of: Intl.DateTimeFormat } | undefined;

/** The last one is kept, since making one takes longer than using it. */
function formatOf(zone: string): Intl.DateTimeFormat {
  if (formats?.zone !== zone) formats = { zone, of: clockOf(zone) };
  return formats.of;
}

function clockOf(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
}

/** How much the clocks of a zone are ahead of UTC at a moment, in milliseconds. */
function offsets(zone: string): (milliseconds: number) => number {
  const format = formatOf(zone);
  return (milliseconds) => {
    const seconds = Math.floor(milliseconds / 1000) * 1000;
    const parts = new Map(format.formatToParts(seconds).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    return (
      Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) - seconds
    );
  };
}
