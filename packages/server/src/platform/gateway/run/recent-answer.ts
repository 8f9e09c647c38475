import { decodeRow, type ResultColumn } from '@fanion/oql';
import { mapInSlices } from '../../breath.ts';
import type { QueryLimits } from '../../clickhouse/index.ts';
import type { TimedRows } from '../../recent-points/index.ts';
import type { ReadAnswer } from '../answer/answer-reader.ts';

/** What reading a point counts as: its time, value and start. */
const pointBytes = 24;

/**
 * An answer from recent points as one of the store. Undefined if it is beyond a limit, which the store then reports.
 */
export async function recentAnswer(
  { text, points, seconds }: TimedRows,
  { columns, limit, limits }: { columns: readonly ResultColumn[]; limit: number; limits: QueryLimits },
): Promise<ReadAnswer | undefined> {
  if (points > limits.maxRowsToRead || text.length > limits.maxResultBytes) return undefined;
  const rows: unknown[][] = JSON.parse(text);
  const cost = { rowsRead: points, bytesRead: points * pointBytes, seconds };
  const kept = await mapInSlices(rows.slice(0, limit), (row) => decodeRow(columns, row));
  return { rows: kept, truncated: rows.length > limit, cost, bytes: text.length };
}
