import { type Fields, fieldsOf, listOf, yamlTextOf } from '../files/fields.ts';
import type { Report } from '../files/report.ts';
import { NoEqual } from '../files/report.ts';

/** The named time intervals of a configuration, in our form. */
export function intervalsOf(config: Fields, report: Report): ReadonlyMap<string, readonly object[]> {
  const named = new Map<string, readonly object[]>();
  for (const entry of [...listOf(config.time_intervals), ...listOf(config.mute_time_intervals)].map(fieldsOf)) {
    const name = yamlTextOf(entry.name) ?? '';
    const where = `time interval ${name}`;
    const intervals = report.attempt(where, 'routes that name it are not muted by it', () =>
      listOf(entry.time_intervals).map((interval) => intervalOf(fieldsOf(interval))),
    );
    if (intervals !== undefined) named.set(name, intervals);
  }
  return named;
}

function intervalOf({ times, weekdays, days_of_month, months, years, location, ...others }: Fields): object {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new NoEqual(`${unknown} is unknown`);
  const zone = yamlTextOf(location);
  if (zone === 'Local') throw new NoEqual('the time zone Local is that of the machine: name it, as in Europe/Berlin');
  const ranges = (value: unknown) => listOf(value).map((range) => yamlTextOf(range) ?? '');
  return {
    ...(times !== undefined && {
      times: listOf(times).map((time) => {
        const { start_time, end_time } = fieldsOf(time);
        return { start: clockTime(start_time), end: clockTime(end_time) };
      }),
    }),
    ...(weekdays !== undefined && { weekdays: ranges(weekdays) }),
    ...(days_of_month !== undefined && { days_of_month: ranges(days_of_month) }),
    ...(months !== undefined && { months: ranges(months) }),
    ...(years !== undefined && { years: ranges(years) }),
    ...(zone !== undefined && { time_zone: zone }),
  };
}

/** YAML 1.1 reads 09:00 without quotes as a number of minutes. */
function clockTime(value: unknown): string {
  if (typeof value !== 'number') return yamlTextOf(value) ?? '';
  return `${String(Math.floor(value / 60)).padStart(2, '0')}:${String(value % 60).padStart(2, '0')}`;
}
