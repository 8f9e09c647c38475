import type { Executor } from '../../../platform/postgres/database.ts';

/** What people wrote about a service. */
export interface ServiceFacts {
  readonly display_name: string | null;
  readonly owner: string | null;
  readonly team: string | null;
  readonly runbook_url: string | null;
  readonly repository_url: string | null;
  readonly tier: string | null;
  readonly tags: string[];
}

const columns = ['display_name', 'owner', 'team', 'runbook_url', 'repository_url', 'tier', 'tags'] as const;

export async function findFacts(
  db: Executor,
  workspaceId: string,
  names: readonly string[],
): Promise<Map<string, ServiceFacts>> {
  if (names.length === 0) return new Map();
  const rows = await db
    .selectFrom('services')
    .select(['name', ...columns])
    .where('workspace_id', '=', workspaceId)
    .where('name', 'in', names)
    .execute();
  return new Map(rows.map(({ name, ...facts }) => [name, facts]));
}

/** The facts of one service, locked until the transaction ends. Creates the row if it is missing. */
export async function lockFacts(trx: Executor, workspaceId: string, name: string, now: Date): Promise<ServiceFacts> {
  await trx
    .insertInto('services')
    .values({
      workspace_id: workspaceId,
      name,
      display_name: null,
      owner: null,
      team: null,
      runbook_url: null,
      repository_url: null,
      tier: null,
      tags: [],
      updated_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return trx
    .selectFrom('services')
    .select(columns)
    .where('workspace_id', '=', workspaceId)
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

export async function updateFacts(
  trx: Executor,
  workspaceId: string,
  name: string,
  facts: ServiceFacts,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('services')
    .set({ ...facts, updated_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('name', '=', name)
    .execute();
}

/** Live projects of a workspace: number in the telemetry store and key; `only` is the one that a pinned token may see. */
export async function listProjectNumbers(
  db: Executor,
  workspaceId: string,
  only: string | undefined,
): Promise<{ number: number; key: string }[]> {
  let query = db
    .selectFrom('projects')
    .select(['number', 'key'])
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null);
  if (only !== undefined) query = query.where('id', '=', only);
  return query.execute();
}
