import { formatAgo, formatTimestamp, formatUtc, toDate } from './format/index.ts';

/**
 * A time in the local zone with UTC on hover. `ago` shows how long ago instead, with both forms on hover; `recent`
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
  const date = toDate(value);
  if (!date) return <span className="dim">–</span>;
  const local = formatTimestamp(date, { milliseconds });
  const today = recent && date.toDateString() === new Date().toDateString();
  return (
    <time dateTime={date.toISOString()} title={ago || today ? `${local}\n${formatUtc(date)}` : formatUtc(date)}>
      {ago ? formatAgo(date, Date.now()) : today ? local.slice(11) : local}
    </time>
  );
}
