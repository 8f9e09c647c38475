import { TemplateError, type Time } from './value.ts';

const months = 'January February March April May June July August September October November December'.split(' ');
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** The parts of a layout of Go's `time` package, the longer ones first where one begins with another. */
const parts =
  /2006|January|Jan|Monday|Mon|MST|-07:00|Z07:00|-0700|Z0700|-07|Z07|002|01|02|03|04|05|06|15|_2|PM|pm|[.,]0+(?!\d)|[.,]9+(?!\d)|1|2|3|4|5/g;

interface Clock {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** @throws TemplateError for an unknown zone */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
    // There are a few hundred names of zones.
    if (formats.size < 1_000) formats.set(zone, format);
    return format;
  } catch {
    throw new TemplateError(`unknown time zone ${JSON.stringify(zone.slice(0, 100))}`);
  }
}

/** Minutes that a zone is ahead of UTC. */
function offsetOf(zone: string, ms: number): number {
  if (zone === 'UTC') return 0;
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (sign !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  const seconds = Math.floor(ms / 1000) * 1000;
  const shown = Object.fromEntries(
    formatOf(zone)
      .formatToParts(seconds)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
  return Math.round((Date.UTC(year, month - 1, day, hour, minute, second) - seconds) / 60_000);
}

const two = (value: number) => String(value).padStart(2, '0');

function offsetText(offset: number, form: string): string {
  if (form.startsWith('Z') && offset === 0) return 'Z';
  const size = Math.abs(offset);
  const hours = `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}`;
  if (form.length === 3) return hours;
  return `${hours}${form.includes(':') ? ':' : ''}${two(size % 60)}`;
}

/** A time as Go's `Format` writes it. */
export function formatTime({ ns, zone }: Time, layout: string): string {
  const ms = Number(ns / 1_000_000n) - (ns < 0n && ns % 1_000_000n !== 0n ? 1 : 0);
  const offset = offsetOf(zone, ms);
  const date = new Date(ms + offset * 60_000);
  const fraction = String(((ns % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n).padStart(9, '0');
  const hour = date.getUTCHours();
  const written: Readonly<Record<string, () => string>> = {
    '2006': () => String(date.getUTCFullYear()).padStart(4, '0'),
    '06': () => two(date.getUTCFullYear() % 100),
    January: () => months[date.getUTCMonth()] ?? '',
    Jan: () => (months[date.getUTCMonth()] ?? '').slice(0, 3),
    '01': () => two(date.getUTCMonth() + 1),
    '1': () => String(date.getUTCMonth() + 1),
    Monday: () => days[date.getUTCDay()] ?? '',
    Mon: () => (days[date.getUTCDay()] ?? '').slice(0, 3),
    '02': () => two(date.getUTCDate()),
    '2': () => String(date.getUTCDate()),
    _2: () => String(date.getUTCDate()).padStart(2, ' '),
    '002': () =>
      String(Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1).padStart(3, '0'),
    '15': () => two(hour),
    '03': () => two(hour % 12 || 12),
    '3': () => String(hour % 12 || 12),
    '04': () => two(date.getUTCMinutes()),
    '4': () => String(date.getUTCMinutes()),
    '05': () => two(date.getUTCSeconds()),
    '5': () => String(date.getUTCSeconds()),
    PM: () => (hour < 12 ? 'AM' : 'PM'),
    pm: () => (hour < 12 ? 'am' : 'pm'),
    MST: () => (zone === 'UTC' ? 'UTC' : offsetText(offset, '-0700')),
  };
  return layout.replaceAll(parts, (part) => {
    if (/^[.,]0/.test(part)) return part[0] + fraction.slice(0, part.length - 1);
    if (/^[.,]9/.test(part)) {
      const shown = fraction.slice(0, part.length - 1).replace(/0+$/, '');
      return shown === '' ? '' : part[0] + shown;
    }
    return /^[Z-]/.test(part) ? offsetText(offset, part) : (written[part]?.() ?? part);
  });
}

/** A time as Go's `String` writes it. */
export function timeText(time: Time): string {
  return formatTime(time, '2006-01-02 15:04:05.999999999 -0700 MST');
}

/** What a part of a layout can be in a text. Each is a fixed expression: layouts are never compiled. */
const readers: Readonly<Record<string, RegExp>> = {
  ...{
    '2006': /\d{4}/y,
    '06': /\d\d/y,
    January: /[A-Z][a-z]{2,8}/y,
    Jan: /[A-Z][a-z]{2}/y,
    '01': /\d\d/y,
    '1': /\d{1,2}/y,
  },
  ...{
    Monday: /[A-Z][a-z]{5,8}/y,
    Mon: /[A-Z][a-z]{2}/y,
    '02': /\d\d/y,
    '2': /\d{1,2}/y,
    _2: / ?\d{1,2}/y,
    '002': /\d{3}/y,
  },
  ...{ '15': /\d\d/y, '03': /\d\d/y, '3': /\d{1,2}/y, '04': /\d\d/y, '4': /\d{1,2}/y, '05': /\d\d/y, '5': /\d{1,2}/y },
  ...{
    PM: /[AP]M/y,
    pm: /[ap]m/y,
    MST: /[A-Z]{3,4}/y,
    '-07:00': /[+-]\d\d:\d\d/y,
    '-0700': /[+-]\d{4}/y,
    '-07': /[+-]\d\d/y,
  },
  ...{ 'Z07:00': /Z|[+-]\d\d:\d\d/y, Z0700: /Z|[+-]\d{4}/y, Z07: /Z|[+-]\d\d/y },
};

/** The zero time of Go, which `toDate` returns for what it cannot read. */
const zero = (zone: string): Time => ({ kind: 'time', ns: -62_135_596_800_000_000_000n, zone });

/** Reads a text by a layout, as Go's `ParseInLocation`. */
export function parseTime(layout: string, text: string, zone: string): Time {
  const found = new Map<string, string>();
  let [at, fraction, done] = [0, '', 0];
  for (const { 0: part, index } of layout.matchAll(parts)) {
    const literal = layout.slice(done, index);
    if (!text.startsWith(literal, at)) return zero(zone);
    at += literal.length;
    done = index + part.length;
    const reader = /^[.,]/.test(part) ? /[.,]\d+/y : readers[part];
    if (reader === undefined) return zero(zone);
    reader.lastIndex = at;
    const [value] = reader.exec(text) ?? [];
    // In a layout of Go, a fraction that is written with nines is optional.
    if (value === undefined && !/^[.,]9/.test(part)) return zero(zone);
    if (/^[.,]/.test(part)) fraction = (value ?? '').slice(1);
    else found.set(part, value ?? '');
    at += (value ?? '').length;
    // A fraction may follow the seconds without being in the layout.
    if (part === '05' && !/^[.,][09]/.test(layout.slice(done))) {
      const [more = ''] = /^[.,]\d{1,20}/.exec(text.slice(at, at + 21)) ?? [];
      fraction = more.slice(1);
      at += more.length;
    }
  }
  return text.slice(at) === layout.slice(done) ? timeOf(found, fraction, zone) : zero(zone);
}

function timeOf(found: ReadonlyMap<string, string>, fraction: string, zone: string): Time {
  const first = (...names: string[]) => names.map((name) => found.get(name)).find((value) => value !== undefined);
  const year = found.get('2006') ?? (found.has('06') ? String(2000 + Number(found.get('06'))) : '0');
  const named = months.findIndex((name) => name.slice(0, 3) === first('January', 'Jan')?.slice(0, 3));
  const half = first('PM', 'pm')?.toLowerCase();
  const hour = Number(found.get('15') ?? '') || Number(first('03', '3') ?? 0) % (half ? 12 : 24);
  const clock: Clock = {
    year: Number(year),
    month: named >= 0 ? named + 1 : Number(first('01', '1') ?? 1),
    day: Number(first('02', '2', '_2') ?? 1),
    hour: half === 'pm' ? hour + 12 : hour,
    minute: Number(first('04', '4') ?? 0),
    second: Number(first('05', '5') ?? 0),
  };
  const offset = first('-07:00', '-0700', '-07', 'Z07:00', 'Z0700', 'Z07');
  const local = new Date(0);
  local.setUTCFullYear(clock.year, clock.month - 1, clock.day);
  local.setUTCHours(clock.hour, clock.minute, clock.second);
  const isReal = local.getUTCMonth() === clock.month - 1 && local.getUTCDate() === clock.day && clock.hour < 24;
  if (!isReal || clock.minute > 59 || clock.second > 59) return zero(zone);
  const own = offset === undefined ? zone : zoneOf(offset);
  const guess = local.getTime() - offsetOf(own, local.getTime()) * 60_000;
  const ms = local.getTime() - offsetOf(own, guess) * 60_000;
  return { kind: 'time', ns: BigInt(ms) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0')), zone: own };
}

function zoneOf(offset: string): string {
  if (offset === 'Z') return 'UTC';
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? [];
  return Number(hours) === 0 && Number(minutes) === 0 ? 'UTC' : `${sign}${hours}:${minutes}`;
}

/** A zone as `toDateInZone` takes it: an unknown one is UTC. */
export function knownZone(zone: string): string {
  if (zone === '' || zone === 'Local' || zone === 'UTC') return 'UTC';
  try {
    formatOf(zone);
    return zone;
  } catch {
    return 'UTC';
  }
}
