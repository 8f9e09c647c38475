import { formatAgo, formatTimestamp, formatUtc, toDate } from './format/index.ts';
import { useTimeZone } from './time/use-time-zone.ts';

/**
 * A time in the chosen zone with UTC on hover. `ago` shows how long ago instead, with both forms on hover; `recent`
 * leaves the date out where it is today's, for lists of telemetry.
 */
export function Timestamp({
  value,
  ago,
  recent,
  milliseconds = false,
}: {
  value: string | number | Date | null | undefined;
  ago?: boolean;
  recent?: boolean;
  milliseconds?: boolean;
}) {
  useTimeZone();
  const date = toDate(value);
  if (!date) return <span className="dim">–</span>;
  const local = formatTimestamp(date, { milliseconds });
  const today = recent && local.slice(0, 10) === formatTimestamp(Date.now()).slice(0, 10);
  return (
    <time dateTime={date.toISOString()} title={ago || today ? `${local}\n${formatUtc(date)}` : formatUtc(date)}>
      {ago ? formatAgo(date, Date.now()) : today ? local.slice(11) : local}
    </time>
  );
}
