import type { WalEntry } from '../entry.ts';
import { uint32At } from '../wire/reader.ts';
import type { ResourceContext } from './context.ts';
import type { RowWriter } from './row-writer.ts';

export const DAY_MS = 86_400_000;

/** A number for the partition (day, retention class) of a row. */
export function partitionOf(millis: number, retentionDays: number): number {
  return Math.floor(millis / DAY_MS) * 65536 + retentionDays;
}

/** workspace, project, environment, retention_days. */
export function writeTenant(row: RowWriter, entry: WalEntry, resource: ResourceContext): void {
  row.reserve(10);
  row.uint32(entry.workspace);
  row.uint32(entry.project);
  row.encoded(resource.environment);
  row.reserve(2);
  row.uint16(entry.retentionDays);
}

/** The nanoseconds at `at` as DateTime64(9); a time beyond Int64 (after 2262) becomes its largest value. */
export function writeTime(row: RowWriter, bytes: Buffer, at: number): void {
  const high = uint32At(bytes, at + 4);
  if (high > 0x7fffffff) row.uint64(0xffffffff, 0x7fffffff);
  else row.uint64(uint32At(bytes, at), high);
}
