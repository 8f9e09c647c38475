/** Functions of times in seconds since 1970, in UTC. */
export const CALENDAR_FUNCTIONS: ReadonlyMap<string, (seconds: number) => number> = new Map([
  ['days_in_month', (seconds: number) => daysInMonth(dateOf(seconds))],
  ['day_of_month', (seconds: number) => dateOf(seconds).getUTCDate()],
  ['day_of_week', (seconds: number) => dateOf(seconds).getUTCDay()],
  ['day_of_year', (seconds: number) => dayOfYear(dateOf(seconds))],
  ['hour', (seconds: number) => dateOf(seconds).getUTCHours()],
  ['minute', (seconds: number) => dateOf(seconds).getUTCMinutes()],
  ['month', (seconds: number) => dateOf(seconds).getUTCMonth() + 1],
  ['year', (seconds: number) => dateOf(seconds).getUTCFullYear()],
]);

function dateOf(seconds: number): Date {
  return new Date(Math.trunc(seconds) * 1_000);
}

function daysInMonth(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}

function dayOfYear(date: Date): number {
  const first = Date.UTC(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - first) / 86_400_000) + 1;
}
