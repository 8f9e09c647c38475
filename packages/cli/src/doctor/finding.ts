/** What one check has found, in a line. */
export interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'wrong';
  readonly found: string;
  /** What mends it. */
  readonly mend?: string;
}

export const ok = (check: string, found: string): Finding => ({ check, level: 'ok', found });
export const warning = (check: string, found: string, mend: string): Finding => ({
  check,
  level: 'warning',
  found,
  mend,
});
export const wrong = (check: string, found: string, mend: string): Finding => ({ check, level: 'wrong', found, mend });

export function lineOf({ check, level, found, mend }: Finding): string {
  return `${level.padEnd(8)} ${check.padEnd(16)} ${found}${mend === undefined ? '' : `: ${mend}`}`;
}

export function inBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  return `${Number((bytes / 1024 ** power).toPrecision(3))} ${units[power]}`;
}

/** Compares versions by their first numbers: `26.7.2.1`, `v20.20.0`, `18.1 (Debian 18.1-1)`. */
export function isOlder(version: string, least: string): boolean {
  const numbersOf = (text: string) => (/\d+(\.\d+)*/.exec(text)?.[0] ?? '').split('.').map(Number);
  const given = numbersOf(version);
  for (const [at, wanted] of numbersOf(least).entries()) {
    const number = given[at] ?? 0;
    if (number !== wanted) return number < wanted;
  }
  return false;
}
