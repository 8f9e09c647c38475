import { type RawBuilder, sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import { placeExists } from '../../identity/projects/index.ts';
import type { StateChange } from './periods-rules.ts';

/**
 * How the states of alerts changed up to `to`: each alert from its last beginning before `from`, in the order of times.
 * @param isListed of the rule `r`
 * @param projectIds those that the caller may read; undefined: all
 */
export async function listStateChanges(
  db: Executor,
  workspaceId: string,
  { isListed, projectIds }: { isListed: RawBuilder<boolean>; projectIds: readonly string[] | undefined },
  { from, to, limit }: { readonly from: Date; readonly to: Date; readonly limit: number },
): Promise<StateChange[]> {
  if (projectIds?.length === 0) return [];
  const readable = projectIds === undefined ? sql`TRUE` : sql`r.project_id = ANY(${[...projectIds]}::uuid[])`;
  const { rows } = await sql<StateChange>`
    SELECT t.instance_id, r.name AS rule, i.labels, t.at, t.to_state
    FROM alert_instances i
    JOIN alert_rules r ON r.id = i.rule_id
    JOIN projects p ON p.id = r.project_id
    JOIN workspaces w ON w.id = r.workspace_id
    LEFT JOIN LATERAL (
      SELECT b.at FROM alert_transitions b
      WHERE b.instance_id = i.id AND b.at <= ${from} AND b.from_state IN ('inactive', 'resolved')
      ORDER BY b.at DESC LIMIT 1) began ON TRUE
    JOIN alert_transitions t ON t.instance_id = i.id AND t.at <= ${to} AND t.at >= coalesce(began.at, '-infinity')
    WHERE i.workspace_id = ${workspaceId} AND (i.state NOT IN ('inactive', 'resolved') OR i.updated_at >= ${from}) AND ${placeExists}
      AND ${isListed} AND ${readable}
    ORDER BY t.instance_id, t.at, t.id LIMIT ${limit}`.execute(db);
  return rows;
}
