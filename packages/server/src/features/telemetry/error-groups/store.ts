import type { ErrorState } from '@fanion/contract';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { Decision } from './rules.ts';

/** What people decided about the errors of a project, by their ids. */
export async function listDecisions(db: Executor, projectId: string): Promise<Map<string, Decision>> {
  const rows = await db
    .selectFrom('error_group_states')
    .select(['group_id', 'state', 'changed_at', 'changed_by_name', 'comment'])
    .where('project_id', '=', projectId)
    .execute();
  return new Map(rows.map((row) => [row.group_id, decisionOf(row)]));
}

export async function findDecision(db: Executor, projectId: string, groupId: string): Promise<Decision | undefined> {
  const row = await db
    .selectFrom('error_group_states')
    .select(['state', 'changed_at', 'changed_by_name', 'comment'])
    .where('project_id', '=', projectId)
    .where('group_id', '=', groupId)
    .executeTakeFirst();
  return row && decisionOf(row);
}

export async function countDecisions(db: Executor, projectId: string): Promise<number> {
  const { n } = await db
    .selectFrom('error_group_states')
    .select(({ fn }) => fn.countAll<string>().as('n'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(n);
}

export async function saveDecision(
  db: Executor,
  {
    projectId,
    groupId,
    userId,
    ...decision
  }: Decision & {
    readonly projectId: string;
    readonly groupId: string;
    readonly userId: string;
  },
): Promise<void> {
  const values = {
    state: decision.state,
    changed_at: decision.changedAt,
    changed_by: userId,
    changed_by_name: decision.changedBy,
    comment: decision.comment,
  };
  await db
    .insertInto('error_group_states')
    .values({ project_id: projectId, group_id: groupId, ...values })
    .onConflict((conflict) => conflict.columns(['project_id', 'group_id']).doUpdateSet(values))
    .execute();
}

function decisionOf(row: {
  readonly state: ErrorState;
  readonly changed_at: Date;
  readonly changed_by_name: string;
  readonly comment: string | null;
}): Decision {
  return { state: row.state, changedAt: row.changed_at, changedBy: row.changed_by_name, comment: row.comment };
}
