import { plainText } from '../../telemetry/results.ts';
import { hashName } from '../../ui/colours.ts';
import { toDate } from '../../ui/format/index.ts';

/**
 * What names a line in an address: its time in nanoseconds, and a hash of what else it says, since lines of one moment
 * differ in that. Log records have no id of their own.
 */
export function lineId(row: Readonly<Record<string, unknown>>): string {
  const rest = ['service.name', 'severity', 'body', 'trace_id', 'span_id', 'attributes'].map((key) =>
    plainText(row[key]),
  );
  return `${plainText(row.time)}~${hashName(rest.join('\0')).toString(36)}`;
}

/** When the line was written, in epoch milliseconds; null for what is no id. */
export function lineTime(id: string): number | null {
  const [time, hash] = id.split('~');
  return hash === undefined ? null : (toDate(time)?.getTime() ?? null);
}
