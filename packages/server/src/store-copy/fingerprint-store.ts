import type { Block } from './rules.ts';
import { inBlock, inParts, limits, type TelemetrySide, type TelemetryTable } from './telemetry-store.ts';

/** The number of rows, and sums over them that do not depend on their order. */
export interface Fingerprint {
  readonly rows: string;
  readonly hash: string;
  /** Of rows with their aggregate states; undefined: a state of the table cannot be compared. */
  readonly states: string | undefined;
}

/** Rows of a table: those of a block, or of a partition, of which only some parts may count. */
export type RowsOf = Block | { readonly partition: string; readonly among?: ReadonlySet<string> | undefined };

/**
 * The fingerprint of rows as they are stored; undefined: of all rows of the table. The store adds it up while it reads, in constant memory.
 *
 * Where merges combine rows, two stores with the same content may have different rows. So a copy is compared while merges of the target are
 * stopped (`prepareTarget`), with all rows as they were inserted (`insertAsRead`): then it must have the rows that were read. That also
 * compares what depends on the order of merges, such as which of several rows with the same key stays.
 */
export async function fingerprint(
  { clickhouse }: TelemetrySide,
  { name, values, states }: TelemetryTable,
  of?: RowsOf,
): Promise<Fingerprint> {
  const hashOf = (columns: readonly string[]) => `toString(sum(cityHash64(${columns.join(', ')})))`;
  const ofStates = states === undefined || states.length === 0 ? `'0'` : hashOf([...values, ...states]);
  const where = of === undefined ? '' : ` WHERE ${rowsIn(of)}`;
  const { rows } = await clickhouse.query(
    `SELECT toString(count()), ${hashOf(values)}, ${ofStates} FROM ${name}${where}`,
    { limits },
  );
  const [count, hash, withStates] = (rows[0] ?? []).map(String);
  return { rows: count ?? '0', hash: hash ?? '0', states: states === undefined ? undefined : withStates };
}

function rowsIn(of: RowsOf): string {
  if (!('partition' in of)) return inBlock(of);
  const only = of.among === undefined ? '' : ` AND ${inParts([...of.among])}`;
  return `_partition_id = '${of.partition}'${only}`;
}
