import { createHash } from 'node:crypto';
import type { ProjectRef, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { fail } from '../../../platform/fail.ts';
import { newId } from '../../../platform/ids.ts';
import { enqueueJob } from '../../../platform/jobs/index.ts';
import { appendOutbox } from '../../../platform/outbox/index.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { recordAudit } from '../audit/index.ts';
import { countErasures, insertRemoval, type RemovalRow } from './removals-store.ts';
import { removalJobPrefix, telemetryRemovalKind, telemetryRemoved } from './telemetry-job.ts';

/** Of a workspace at a time: each reads the attributes of all rows. */
const maxErasures = 50;

/**
 * Schedules the deletion of all rows of a project that have an attribute with a value. Throws `LIMIT_REACHED` while too many wait. The
 * value is kept until the last pass over the tables, and not in the audit log.
 */
export async function eraseAttribute(
  trx: Executor,
  { workspace, project }: { readonly workspace: WorkspaceRef; readonly project: ProjectRef },
  holds: { readonly attribute: string; readonly value: string },
  origin: Origin,
  now: Date,
): Promise<RemovalRow> {
  if ((await countErasures(trx, workspace.id)) >= maxErasures)
    throw fail('LIMIT_REACHED', { limit: maxErasures, resource: 'erasures that are not finished' });
  const id = newId(now.getTime());
  const row = await insertRemoval(trx, {
    id,
    workspace_id: workspace.id,
    workspace: workspace.number,
    project_id: project.id,
    project: project.number,
    environment: null,
    ...holds,
    key: holds.attribute,
    name: holds.attribute,
    removed_at: now,
  });
  await appendOutbox(trx, { topic: telemetryRemoved, key: id, payload: { workspace: workspace.number } });
  await enqueueJob(trx, { kind: telemetryRemovalKind, name: removalJobPrefix + id, payload: null, runAt: now });
  const value_sha256 = createHash('sha256').update(holds.value).digest('hex');
  await recordAudit(
    trx,
    origin,
    {
      workspaceId: workspace.id,
      action: 'erasures.create',
      resource: { type: 'project', id: project.id, name: project.name },
      projectId: project.id,
      after: { attribute: holds.attribute, value_sha256 },
    },
    now,
  );
  return row;
}
