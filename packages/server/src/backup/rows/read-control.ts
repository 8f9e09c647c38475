import type { Database, Executor } from '../../platform/postgres/database.ts';
import {
  appliedControl,
  type ControlTable,
  controlFingerprint,
  listControlTables,
  readControlRows,
  readSequences,
  useComparableTexts,
} from '../../store-copy/control-store.ts';
import { type CopiedTable, MOST_ROW_BYTES, type RowsManifest, rowsPath } from '../manifest.ts';
import { type Packed, pack, type RowFiles } from './row-files.ts';

/** Characters of a file. */
const FILE_LENGTH = 8 * 1024 ** 2;
/** Compressed files that wait for the end of the transaction: it holds up all others in an embedded control plane, and a bucket is slow. */
const HELD_BYTES = 32 * 1024 ** 2;

/**
 * Reads the control plane as it is at one moment, into files of at most 100 rows more than 8 MiB.
 * @returns what the manifest says of it
 */
export async function readControl(
  db: Database,
  files: RowFiles,
  signal: AbortSignal,
): Promise<RowsManifest['control']> {
  let held: Packed[] = [];
  const putHeld = async () => {
    for (const file of held) await files.put(file);
    held = [];
  };
  const read = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      await useComparableTexts(trx);
      const tables: CopiedTable[] = [];
      for (const table of await listControlTables(trx)) {
        for await (const file of filesOf(trx, table)) {
          signal.throwIfAborted();
          held.push(file);
          if (held.reduce((sum, { bytes }) => sum + bytes.length, 0) > HELD_BYTES) await putHeld();
        }
        const { rows, hash } = await controlFingerprint(trx, table);
        tables.push({ name: table.name, columns: table.columns.map(({ name }) => name), rows: Number(rows), hash });
      }
      return { migrations: await appliedControl(trx), tables, sequences: await readSequences(trx) };
    });
  await putHeld();
  return read;
}

async function* filesOf(trx: Executor, table: ControlTable): AsyncGenerator<Packed> {
  let lines: string[] = [];
  let length = 0;
  let number = 0;
  const packed = () => {
    const file = pack(rowsPath('control', table.name, ++number), Buffer.from(`${lines.join('\n')}\n`), lines.length);
    [lines, length] = [[], 0];
    return file;
  };
  for await (const rows of readControlRows(trx, table))
    for (const row of rows) {
      if (Buffer.byteLength(row) >= MOST_ROW_BYTES)
        throw new Error(`a row of the table ${table.name} is larger than ${MOST_ROW_BYTES} bytes`);
      if (length > 0 && length + row.length > FILE_LENGTH) yield await packed();
      lines.push(row);
      length += row.length;
    }
  if (lines.length > 0) yield packed();
}
