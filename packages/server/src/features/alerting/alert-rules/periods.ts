import type { Access, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Clock } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { readableProjects } from '../../identity/access/index.ts';
import type { ReadAlerts, SampleWindow } from '../../telemetry/promql/index.ts';
import { periodsOf } from './periods-rules.ts';
import { listStateChanges } from './periods-store.ts';
import { isListedRule } from './store.ts';

/** Most changes of states that one read is about. */
const maxChanges = 50_000;

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
}

interface Scope {
  readonly workspace: Pick<WorkspaceRef, 'id'>;
  readonly project: { readonly id: string } | undefined;
  readonly environment: string | undefined;
}

/**
 * Reads when the alerts of a place were pending and firing, of the rules that the caller may read.
 * Throws `PROMQL_FAILED` for too many changes.
 */
export function createAlertHistory({
  db,
  access,
  clock,
}: {
  readonly db: Database;
  readonly access: Pick<Access, 'scope'>;
  readonly clock: Clock;
}): (scope: Scope, caller: UserCaller) => ReadAlerts {
  return ({ workspace, project, environment }, caller) =>
    async ({ start, end }) => {
      const projectIds = await readableProjects(access, db, caller, workspace.id, 'alerts:read');
      if (projectIds?.length === 0) return undefined;
      return alertsIn({ db, clock }, { workspace, project, environment }, projectIds, { start, end });
    };
}

/** Reads the alerts of the rules in the place of a rule, on whose behalf nobody in particular asks. */
export function alertsForRule(parts: Parts, place: Scope & { readonly project: { readonly id: string } }): ReadAlerts {
  return (window) => alertsIn(parts, place, [place.project.id], window);
}

async function alertsIn(
  { db, clock }: Parts,
  { workspace, project, environment }: Scope,
  projectIds: readonly string[] | undefined,
  { start, end }: SampleWindow,
) {
  const isListed = isListedRule({ projectId: project?.id, environment, search: undefined });
  const range = { from: new Date(start), to: new Date(end), limit: maxChanges + 1 };
  const changes = await listStateChanges(db, workspace.id, { isListed, projectIds }, range);
  if (changes.length > maxChanges)
    throw fail('PROMQL_FAILED', { reason: `alerts changed more than ${maxChanges} times: query a shorter time` });
  return { periods: periodsOf(changes), until: clock.now() };
}
