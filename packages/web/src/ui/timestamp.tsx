import { formatAgo, formatTimestamp, formatUtc, toDate } from './format/index.ts';

/** A time in the local zone with UTC on hover; `ago` shows how long ago instead, both forms on hover. */
export function Timestamp({
  value,
  ago,
  milliseconds = false,
}: {
  value: string | number | Date | null | undefined;
  ago?: boolean;
  milliseconds?: boolean;
}) {
  const date = toDate(value);
  if (!date) return <span className="dim">–</span>;
  const local = formatTimestamp(date, { milliseconds });
  return (
    <time dateTime={date.toISOString()} title={ago ? `${local}\n${formatUtc(date)}` : formatUtc(date)}>
      {ago ? formatAgo(date, Date.now()) : local}
    </time>
  );
}
