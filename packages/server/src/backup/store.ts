import type { Database } from '../platform/postgres/database.ts';

export async function countWorkspaces(db: Database): Promise<number> {
  const { n } = await db
    .selectFrom('workspaces')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return Number(n);
}
