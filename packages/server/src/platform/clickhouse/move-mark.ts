import { type MarkState, MOVE_TABLE, type MoveMark } from '../move-mark.ts';
import type { ClickHouse } from './client.ts';

const states: readonly MarkState[] = ['unfinished', 'restoring', 'restored', 'moved'];

/** The mark is the comment of a table, which exists or does not: there is no half of it. */
export async function readTelemetryMark(store: ClickHouse): Promise<MoveMark | undefined> {
  const { rows } = await store.query(
    `SELECT comment FROM system.tables WHERE database = currentDatabase() AND name = '${MOVE_TABLE}'`,
  );
  const [state, id] = String(rows[0]?.[0] ?? '').split(' ');
  if (rows.length === 0) return undefined;
  return { id: id ?? '', state: states.find((known) => known === state) ?? 'unfinished' };
}

export async function markTelemetry(store: ClickHouse, { id, state }: MoveMark): Promise<void> {
  await store.command(
    `CREATE TABLE IF NOT EXISTS ${MOVE_TABLE} (id String) ENGINE = MergeTree ORDER BY id COMMENT '${state} ${id}'`,
  );
}

export async function unmarkTelemetry(store: ClickHouse): Promise<void> {
  await store.command(`DROP TABLE IF EXISTS ${MOVE_TABLE} SYNC`);
}
