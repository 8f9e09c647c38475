import { isTimeZone, wallClock } from '@fanion/contract';

/**
 * Recurring times, as Alertmanager's time intervals: within an interval, each field that is given must hold. Times of day
 * are those of the wall clock in the time zone, so an hour that a change of clock repeats counts twice.
 */
export interface TimeIntervalInput {
  readonly times?: readonly { readonly start: string; readonly end: string }[] | undefined;
  /** `monday`, `monday:friday`. */
  readonly weekdays?: readonly string[] | undefined;
  /** `1`, `1:15`, `-3:-1` (the last three days). */
  readonly days_of_month?: readonly string[] | undefined;
  /** `january`, `1`, `january:march`. */
  readonly months?: readonly string[] | undefined;
  readonly years?: readonly string[] | undefined;
  /** IANA name; UTC by default. */
  readonly time_zone?: string | undefined;
}

/** Both ends belong to a range. */
interface Range {
  readonly from: number;
  readonly to: number;
}

export interface TimeInterval {
  /** Minutes of the day; the end does not belong to it. */
  readonly times: readonly Range[];
  readonly weekdays: readonly Range[];
  readonly daysOfMonth: readonly Range[];
  readonly months: readonly Range[];
  readonly years: readonly Range[];
  readonly timeZone: string;
}

/** What is wrong with an interval, in words for its author. */
export class InvalidInterval extends Error {
  override readonly name = 'InvalidInterval';
}

const weekdayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const monthNames = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** Throws `InvalidInterval`. */
export function parseTimeInterval(input: TimeIntervalInput): TimeInterval {
  return {
    times: (input.times ?? []).map(minutesOf),
    weekdays: (input.weekdays ?? []).map((text) => rangeOf(text, 'weekday', (name) => indexIn(weekdayNames, name))),
    daysOfMonth: (input.days_of_month ?? []).map(daysOf),
    months: (input.months ?? []).map((text) => rangeOf(text, 'month', monthOf)),
    years: (input.years ?? []).map((text) => rangeOf(text, 'year', wholeNumber)),
    timeZone: zoneOf(input.time_zone ?? 'UTC'),
  };
}

export function containsTime(interval: TimeInterval, atMs: number): boolean {
  const local = localTime(interval.timeZone, atMs);
  const isIn = (ranges: readonly Range[], value: number) =>
    ranges.length === 0 || ranges.some(({ from, to }) => value >= from && value <= to);
  return (
    (interval.times.length === 0 || interval.times.some(({ from, to }) => local.minute >= from && local.minute < to)) &&
    (interval.daysOfMonth.length === 0 || interval.daysOfMonth.some((range) => isOnDay(range, local))) &&
    isIn(interval.weekdays, local.weekday) &&
    isIn(interval.months, local.month) &&
    isIn(interval.years, local.year)
  );
}

/** Whether notifications are held back at this time: in a mute interval, or outside of the active ones if there are any. */
export function isMuted(
  { mute, active }: { readonly mute: readonly TimeInterval[]; readonly active: readonly TimeInterval[] },
  atMs: number,
): boolean {
  if (mute.some((interval) => containsTime(interval, atMs))) return true;
  return active.length > 0 && !active.some((interval) => containsTime(interval, atMs));
}

interface LocalTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  /** 0: Sunday. */
  readonly weekday: number;
  /** Of the day. */
  readonly minute: number;
}

function isOnDay({ from, to }: Range, { year, month, day }: LocalTime): boolean {
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const dayOf = (number: number) => (number < 0 ? length + number + 1 : number);
  if (dayOf(from) > length) return false;
  return day >= dayOf(from) && day <= Math.min(dayOf(to), length);
}

function localTime(timeZone: string, atMs: number): LocalTime {
  const date = wallClock(timeZone, atMs);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    minute: date.getUTCHours() * 60 + date.getUTCMinutes(),
  };
}

function zoneOf(name: string): string {
  if (isTimeZone(name)) return name;
  throw new InvalidInterval(`unknown time zone ${JSON.stringify(name)}: use an IANA name such as Europe/Berlin`);
}

function minutesOf({ start, end }: { readonly start: string; readonly end: string }): Range {
  const [from, to] = [minuteOf(start), minuteOf(end)];
  if (from >= to) throw new InvalidInterval(`the time ${start} is not before ${end}: split an interval at midnight`);
  return { from, to };
}

function minuteOf(text: string): number {
  const parts = /^(\d\d):(\d\d)$/.exec(text);
  const [hour, minute] = [Number(parts?.[1]), Number(parts?.[2])];
  if (parts === null || minute > 59 || hour * 60 + minute > 24 * 60)
    throw new InvalidInterval(`invalid time ${JSON.stringify(text)}: use 00:00 to 24:00`);
  return hour * 60 + minute;
}

function daysOf(text: string): Range {
  const range = between(text, (part) => {
    const day = /^-?\d{1,2}$/.test(part) ? Number(part) : 0;
    return day === 0 || Math.abs(day) > 31 ? undefined : day;
  });
  if (range === undefined)
    throw new InvalidInterval(
      `invalid days of a month ${JSON.stringify(text)}: use 1 to 31, or -31 to -1 from the end`,
    );
  if (range.from < 0 && range.to > 0)
    throw new InvalidInterval(`the days ${text} begin at the end of a month: end them there too, as in -3:-1`);
  // In the longest month.
  const end = range.from > 0 && range.to < 0 ? 32 + range.to : range.to;
  if (range.from > end) throw new InvalidInterval(`the days ${text} end before they begin`);
  return range;
}

function rangeOf(text: string, kind: string, parse: (text: string) => number | undefined): Range {
  const range = between(text, parse);
  if (range === undefined) throw new InvalidInterval(`invalid ${kind} ${JSON.stringify(text)}`);
  if (range.from > range.to) throw new InvalidInterval(`the ${kind}s ${text} end before they begin`);
  return range;
}

/** `a` or `a:b`. */
function between(text: string, parse: (text: string) => number | undefined): Range | undefined {
  const parts = text.toLowerCase().split(':');
  if (parts.length > 2) return undefined;
  const [from, to] = [parse(parts[0] ?? ''), parse(parts.at(-1) ?? '')];
  return from === undefined || to === undefined ? undefined : { from, to };
}

function indexIn(names: readonly string[], name: string): number | undefined {
  const index = names.indexOf(name);
  return index < 0 ? undefined : index;
}

function monthOf(text: string): number | undefined {
  const index = indexIn(monthNames, text);
  if (index !== undefined) return index + 1;
  const number = wholeNumber(text);
  return number !== undefined && number >= 1 && number <= 12 ? number : undefined;
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,4}$/.test(text) ? Number(text) : undefined;
}
