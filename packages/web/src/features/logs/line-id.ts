import { plainText } from '../../telemetry/results.ts';
import { hashName } from '../../ui/colours.ts';
import { toDate } from '../../ui/format/index.ts';

/**
 * Identifies a line in a URL: its time in nanoseconds and a hash of its other content, which distinguishes lines with
 * the same time. Log records have no id.
 */
export function lineId(row: Readonly<Record<string, unknown>>): string {
  const rest = ['service.name', 'severity', 'body', 'trace_id', 'span_id', 'attributes'].map((key) =>
    plainText(row[key]),
  );
  return `${plainText(row.time)}~${hashName(rest.join('\0')).toString(36)}`;
}

/** The time of the line in epoch milliseconds; null for a malformed id. */
export function lineTime(id: string): number | null {
  const [time, hash] = id.split('~');
  return hash === undefined ? null : (toDate(time)?.getTime() ?? null);
}
