import { readFile } from 'node:fs/promises';
import { BufferPool, SegmentTranscoder, SeriesCache, SIGNALS, type Signal, type WalEntry } from '@fanion/telemetry';
import { decodeEntry, readFrames } from '../../../../platform/wal/index.ts';

/** Acknowledged items of one place that could not be stored. */
export interface Loss {
  workspace: number;
  project: number;
  environment: string;
  signal: Signal;
  reason: string;
  items: number;
}

/** Tables with a row for each item; rows of other tables accompany them. */
const itemTables: ReadonlySet<string> = new Set([
  'spans',
  'logs',
  'metric_points',
  'metric_histograms',
  'profile_samples',
]);

/** All items of an entry; empty if nobody sent its content. */
export function lossOfEntry(entry: WalEntry, reason: string): Loss[] {
  return lossOf(entry, entry.items - entry.refused.length, reason);
}

/** All items of a segment, as far as its entries can be read. */
export async function lossesOfSegment(path: string, reason: string): Promise<Loss[]> {
  const losses: Loss[] = [];
  for (const entry of await readEntries(path)) losses.push(...lossOfEntry(entry, reason));
  return losses;
}

/**
 * Finds whose items are in a block of a segment. A block does not record it, so each entry is transcoded again to count
 * its rows. This is needed only when the store rejects rows.
 * @param first number of rows of the table in the previous blocks
 */
export async function lossesOfBlock(
  path: string,
  block: { readonly table: string; readonly rows: number },
  first: number,
  reason: string,
): Promise<Loss[]> {
  if (!itemTables.has(block.table)) return [];
  const pool = new BufferPool();
  const series = new SeriesCache(1 << 10);
  const losses: Loss[] = [];
  let at = 0;
  for (const entry of await readEntries(path)) {
    const rows = rowsOf(entry, block.table, series, pool);
    const inside = Math.min(at + rows, first + block.rows) - Math.max(at, first);
    if (inside > 0) losses.push(...lossOf(entry, inside, reason));
    at += rows;
  }
  return losses;
}

function lossOf({ workspace, project, environment, signal: of }: WalEntry, items: number, reason: string): Loss[] {
  const signal = SIGNALS.find((known) => known === of);
  return signal === undefined ? [] : [{ workspace, project, environment, signal, reason, items }];
}

async function readEntries(path: string): Promise<WalEntry[]> {
  const { payloads } = readFrames(await readFile(path));
  return payloads.flatMap((payload) => {
    try {
      return [decodeEntry(payload)];
    } catch {
      // The owner is in the part that cannot be read.
      return [];
    }
  });
}

/** 0 for an entry without rows, which is quarantined on its own. */
function rowsOf(entry: WalEntry, table: string, series: SeriesCache, pool: BufferPool): number {
  const transcoder = new SegmentTranscoder(series, pool);
  try {
    transcoder.add(entry);
  } catch {
    return 0;
  }
  let rows = 0;
  for (const block of transcoder.finish().blocks) {
    if (block.table === table) rows += block.rows;
    pool.give(block.table, block.body);
  }
  return rows;
}
