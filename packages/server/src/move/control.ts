import type { DatabaseConnection, Executor } from '../platform/postgres/database.ts';
import {
  controlFingerprint,
  emptyControlTables,
  insertControlRows,
  listControlTables,
  readControlRows,
  readSequences,
  setSequences,
  useComparableTexts,
} from '../store-copy/control-store.ts';

/**
 * Copies the control plane in one transaction on each side, and compares all tables.
 * @param record adds to the target in the transaction that copies to it
 * @param isHeld runs after the target has committed, while the source's transaction is open, which holds up all others in the embedded
 *   control plane: nothing can change it between the copy and the switch
 * @returns the number of rows
 */
export async function moveControl(
  { from, to }: { readonly from: DatabaseConnection; readonly to: DatabaseConnection },
  isHeld: () => Promise<void>,
  record: (target: Executor, rows: number) => Promise<void> = async () => {},
): Promise<number> {
  let rows = 0;
  let isDone = false;
  try {
    await from.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (source) => {
        rows = await to.db.transaction().execute(async (target) => {
          const copied = await copyAll(source, target);
          await record(target, copied);
          return copied;
        });
        await isHeld();
        isDone = true;
      });
  } catch (error) {
    // The server has ended, and with it the connection.
    if (!isDone) throw error;
  }
  return rows;
}

async function copyAll(from: Executor, to: Executor): Promise<number> {
  await useComparableTexts(from);
  await useComparableTexts(to);
  // Both sides have run the same migrations, so what only one of them has belongs to another product.
  const inTarget = new Set((await listControlTables(to)).map(({ name }) => name));
  const tables = (await listControlTables(from)).filter(({ name }) => inTarget.has(name));
  await emptyControlTables(to, tables);
  for (const table of tables)
    for await (const rows of readControlRows(from, table)) await insertControlRows(to, table, rows);
  const inBoth = new Set((await readSequences(to)).map(({ name }) => name));
  await setSequences(
    to,
    (await readSequences(from)).filter(({ name }) => inBoth.has(name)),
  );
  let total = 0;
  for (const table of tables) {
    const [source, target] = [await controlFingerprint(from, table), await controlFingerprint(to, table)];
    if (source.rows !== target.rows || source.hash !== target.hash)
      throw new Error(
        `the table ${table.name} differs after the copy: ${source.rows} rows in the source, ${target.rows} in the target`,
      );
    total += Number(source.rows);
  }
  return total;
}
