import { isTimeZone, offsetAt } from '@fanion/contract';

/** `local` for the zone of this machine, else `UTC` or another name of the IANA database. */
export type TimeZone = string;
export const LOCAL: TimeZone = 'local';

/** The zone in which the application writes times. */
let chosen: TimeZone = LOCAL;
const listeners = new Set<() => void>();

export function currentZone(): TimeZone {
  return chosen;
}

/** From now on, times are written and read in this zone; a name that is unknown to this machine becomes the local zone. */
export function setZone(zone: TimeZone): void {
  const next = isZone(zone) ? zone : LOCAL;
  if (next === chosen) return;
  chosen = next;
  for (const listener of listeners) listener();
}

/** Calls a function after each change of the zone, until the returned function is called. */
export function onZoneChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function isZone(zone: string): boolean {
  return zone === LOCAL || isTimeZone(zone);
}

/** The name of a zone for people: `Europe/Berlin (local)`, `UTC`, `Asia/Tokyo`. */
export function zoneName(zone: TimeZone = chosen): string {
  return zone === LOCAL ? `${Intl.DateTimeFormat().resolvedOptions().timeZone} (local)` : zone;
}

/** By how many milliseconds the clocks of a zone are ahead of UTC at a moment (epoch milliseconds). */
export function zoneOffset(time: number, zone: TimeZone = chosen): number {
  if (zone === 'UTC' || !Number.isFinite(time)) return 0;
  if (zone === LOCAL) return -new Date(time).getTimezoneOffset() * 60_000;
  // Zones change their clocks at whole quarters of an hour; a list asks for many moments of the same one.
  const quarter = Math.floor(time / QUARTER) * QUARTER;
  const key = `${zone} ${quarter}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const offset = offsetAt(zone, quarter);
  if (offsets.size >= MOST_OFFSETS) offsets.clear();
  offsets.set(key, offset);
  return offset;
}

/** The moment as a date whose UTC parts (`getUTCHours`) are what the clocks of the zone show. */
export function wallClock(time: number, zone: TimeZone = chosen): Date {
  return new Date(time + zoneOffset(time, zone));
}

/**
 * The moment at which the clocks of the zone show a text: `2026-05-01`, `2026-05-01 10:00` or `2026-05-01T10:00:00`. Of an hour that
 * occurs twice the second is taken; undefined for other texts.
 */
export function parseWallClock(text: string, zone: TimeZone = chosen): number | undefined {
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?)?$/.exec(text.trim());
  if (!match) return undefined;
  const wall = Date.parse(`${match[1]}T${match[2] ?? '00:00'}${match[3] ?? ':00'}Z`);
  if (Number.isNaN(wall)) return undefined;
  const guess = wall - zoneOffset(wall, zone);
  return wall - zoneOffset(guess, zone);
}

const QUARTER = 900_000;
const MOST_OFFSETS = 5000;
const offsets = new Map<string, number>();
