import type { Policy } from './queries.ts';

export type Interval = Policy['mute'][number];

/** A time interval while somebody edits it: every field as the text of its input, lists with commas. */
export interface IntervalDraft {
  readonly uid: string;
  /** `09:00-17:00, 18:00-20:00`. */
  readonly times: string;
  readonly weekdays: string;
  readonly days_of_month: string;
  readonly months: string;
  readonly years: string;
  readonly time_zone: string;
}

let lastUid = 0;
const nextUid = () => {
  lastUid += 1;
  return `i${lastUid}`;
};

export function newInterval(timeZone: string): IntervalDraft {
  return { uid: nextUid(), times: '', weekdays: '', days_of_month: '', months: '', years: '', time_zone: timeZone };
}

const LISTS = ['weekdays', 'days_of_month', 'months', 'years'] as const;

export function intervalDraftOf(interval: Interval): IntervalDraft {
  const lists = LISTS.map((name) => [name, (interval[name] ?? []).join(', ')] as const);
  return {
    ...newInterval(interval.time_zone ?? ''),
    ...Object.fromEntries(lists),
    times: (interval.times ?? []).map(({ start, end }) => `${start}-${end}`).join(', '),
  };
}

/** The interval without the fields that are empty, which do not restrict it. */
export function intervalOf(draft: IntervalDraft): Interval {
  const times = partsOf(draft.times).map((text) => {
    const [start = '', end = ''] = text.split(/\s*[-–]\s*/);
    return { start, end };
  });
  const lists = LISTS.map((name) => [name, partsOf(draft[name])] as const).filter(([, parts]) => parts.length > 0);
  const zone = draft.time_zone.trim();
  return {
    ...(times.length > 0 && { times }),
    ...Object.fromEntries(lists),
    ...(zone !== '' && { time_zone: zone }),
  };
}

/** Whether it would hold at all times, which nobody means. */
export function isUnrestricted(draft: IntervalDraft): boolean {
  const { time_zone: _, ...restrictions } = intervalOf(draft);
  return Object.keys(restrictions).length === 0;
}

function partsOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** `saturday, sunday 00:00–06:00, in december, Europe/Berlin`. */
export function intervalText({ times, weekdays, days_of_month, months, years, time_zone }: Interval): string {
  const named = (prefix: string, list: readonly string[] | undefined) =>
    list === undefined || list.length === 0 ? [] : [`${prefix}${list.join(', ')}`];
  const parts = [
    ...named('', weekdays),
    ...named('day ', days_of_month),
    ...named('in ', months),
    ...named('in ', years),
    ...named(
      '',
      times?.map(({ start, end }) => `${start}–${end}`),
    ),
  ];
  return `${parts.length === 0 ? 'always' : parts.join(', ')} (${time_zone ?? 'UTC'})`;
}
