import type { BackupPlace } from './place.ts';

/** `20261128T150405123Z` */
const NAME = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{3})Z$/;

/** The folder of a backup that was taken at a time, in milliseconds since the epoch. Sorts by time. */
export function backupName(at: number): string {
  return new Date(at).toISOString().replace(/[-:.]/g, '');
}

/** When the backup of this name was taken, in milliseconds since the epoch; undefined: it is no such name. */
export function timeOfName(name: string): number | undefined {
  const [, ...parts] = NAME.exec(name) ?? [];
  const [year = '', month = '', day = '', hours = '', minutes = '', seconds = '', milliseconds = ''] = parts;
  const time = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${milliseconds}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/** The names beyond the newest `keep`. */
export function outdated(names: readonly string[], keep: number): string[] {
  const sorted = names.toSorted();
  return sorted.slice(0, Math.max(0, sorted.length - keep));
}

/** Backups that a server takes by itself. */
export interface Schedule {
  readonly place: BackupPlace;
  readonly intervalMs: number;
  /** Complete backups of this server that stay. */
  readonly keep: number;
}

const HOUR_MS = 3_600_000;

/**
 * When a scheduled backup is due. A failed one is tried again after an hour, or after the interval if that is shorter.
 * @param lastSuccess the newest backup in the directory; undefined: there is none
 * @param lastFailure of this process, if no backup has succeeded since
 */
export function dueAt(
  intervalMs: number,
  { lastSuccess, lastFailure }: { readonly lastSuccess: number | undefined; readonly lastFailure: number | undefined },
  now: number,
): number {
  const due = lastSuccess === undefined ? now : Math.max(now, lastSuccess + intervalMs);
  return lastFailure === undefined ? due : Math.max(due, lastFailure + Math.min(intervalMs, HOUR_MS));
}

/** Whether a version `1.2.3` comes after another one. A pre-release counts as its release. */
export function isNewer(version: string, other: string): boolean {
  const [one, two] = [numbersOf(version), numbersOf(other)];
  for (const [at, number] of one.entries()) if (number !== (two[at] ?? 0)) return number > (two[at] ?? 0);
  return false;
}

function numbersOf(version: string): number[] {
  return (version.split('-')[0] ?? '').split('.').map(Number);
}

/** `1.5 GiB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const unit = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 1024 ** unit;
  return `${unit === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[unit]}`;
}

/** Who took a backup, for the log and the manifest. @param user who ran the command */
export function backupBy(user: string): string {
  return `fanion backup, run by ${user}`;
}
