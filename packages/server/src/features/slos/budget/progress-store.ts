import type { Executor } from '../../../platform/postgres/database.ts';

/** Up to when the events of an SLO have been counted. */
export async function findCountedTo(db: Executor, sloId: string): Promise<Date | undefined> {
  const row = await db.selectFrom('slos').select('derived_to').where('id', '=', sloId).executeTakeFirst();
  return row?.derived_to;
}
