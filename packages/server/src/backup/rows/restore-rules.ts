import type { CopiedTable } from '../manifest.ts';

interface TargetTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Names come from the target: what the manifest says never reaches a statement. */
export function refuseOtherTables(copied: readonly CopiedTable[], tables: readonly TargetTable[]): void {
  const textOf = ({ name, columns }: TargetTable) => `${name} ${columns.join()}`;
  const known = new Set(tables.map(textOf));
  const unknown = copied.find((table) => !known.has(textOf(table)));
  if (unknown !== undefined || copied.length !== tables.length)
    throw new Error(
      `the backup does not have the tables of its version${unknown === undefined ? '' : `, such as ${unknown.name}`}: it is damaged`,
    );
}

/** Compares what the backup says of a table with what was restored. Sums that it does not have are not compared: see `notCompared`. */
export function refuseDifferent(
  { name, rows, hash, states }: CopiedTable,
  found: { readonly rows: string; readonly hash: string; readonly states?: string | undefined },
): void {
  const isSame = (hash ?? found.hash) === found.hash && (states ?? found.states) === found.states;
  if (rows === Number(found.rows) && isSame) return;
  throw new Error(
    `the table ${name} has ${found.rows} rows after the restore, and the backup says ${rows}, with ${isSame ? 'the same' : 'another'} hash: the restore is not complete`,
  );
}

/** The tables of telemetry of which the backup has no hash of all values, only the number of rows. Earlier releases wrote such ones. */
export function notCompared(
  copied: readonly CopiedTable[],
  tables: readonly { readonly name: string; readonly states: readonly string[] | undefined }[],
): string[] {
  const withStates = new Set(tables.filter(({ states }) => states?.length !== 0).map(({ name }) => name));
  return copied
    .filter(({ name, hash, states }) => hash === null || (states === undefined && withStates.has(name)))
    .map(({ name }) => name);
}
