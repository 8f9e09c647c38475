import { type Kysely, sql } from 'kysely';
import { MOVE_TABLE, type MoveMark } from '../move-mark.ts';
import type { Executor } from './database.ts';
import type { ControlPlane } from './schema.ts';

const table = sql.table(MOVE_TABLE);

export async function readControlMark(db: Executor): Promise<MoveMark | undefined> {
  const { rows } = await sql<{ exists: boolean }>`SELECT to_regclass(${MOVE_TABLE}) IS NOT NULL AS exists`.execute(db);
  if (rows[0]?.exists !== true) return undefined;
  const marks = await sql<MoveMark>`SELECT id, state FROM ${table}`.execute(db);
  return marks.rows[0];
}

export async function markControl(db: Kysely<ControlPlane>, { id, state }: MoveMark): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`CREATE TABLE IF NOT EXISTS ${table} (id text NOT NULL, state text NOT NULL)`.execute(trx);
    await sql`DELETE FROM ${table}`.execute(trx);
    await sql`INSERT INTO ${table} VALUES (${id}, ${state})`.execute(trx);
  });
}

export async function unmarkControl(db: Executor): Promise<void> {
  await sql`DROP TABLE IF EXISTS ${table}`.execute(db);
}
