import { Failure, fail } from '../../../platform/fail.ts';
import { enqueueJob } from '../../../platform/jobs/index.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { AnyChangeKind, Prepared } from '../flags/index.ts';
import * as store from './store.ts';

export const changeJobKind = 'flags.change';

export interface Applied {
  readonly status: 'applied' | 'failed';
  readonly failure: string | null;
  /** Ids of the environments whose rulesets have changed. */
  readonly rulesets: readonly string[];
}

/**
 * Applies a waiting change, with the project locked. A change that can no longer be applied fails with the reason: it
 * never overwrites what others wrote in between, and nothing unapproved is served. Throws `CHANGE_KIND_UNKNOWN` for a
 * change that a newer server wrote.
 */
export async function applyChange(
  trx: Executor,
  kinds: readonly AnyChangeKind[],
  change: store.ChangeRow,
  workspaceId: string,
  now: Date,
): Promise<Applied> {
  const prepared = await prepareAgain(trx, kinds, change, workspaceId);
  if ('failure' in prepared) {
    const { failure } = prepared;
    await store.updateChange(trx, change.id, { status: 'failed', failure });
    return { status: 'failed', failure, rulesets: [] };
  }
  await prepared.write({
    userId: change.created_by,
    actor: { type: 'user', id: change.created_by, name: change.created_by_name ?? 'a former member' },
    now,
    comment: change.comment,
    changeId: change.id,
  });
  await store.updateChange(trx, change.id, { status: 'applied', applied_at: now });
  return { status: 'applied', failure: null, rulesets: prepared.rulesets };
}

async function prepareAgain(
  trx: Executor,
  kinds: readonly AnyChangeKind[],
  change: store.ChangeRow,
  workspaceId: string,
): Promise<Prepared<unknown> | { failure: string }> {
  const kind = kinds.find((known) => known.kind === change.kind);
  // Outside of the `try`: the change stays waiting for a server that knows its kind.
  if (kind === undefined) throw fail('CHANGE_KIND_UNKNOWN', { kind: change.kind });
  const payload = (await store.findPayload(trx, change.id)) as never;
  const subject = {
    ...(change.flag !== null && { flag: change.flag }),
    ...(change.segment !== null && { segment: change.segment }),
    ...(change.environment_id !== null && { environmentId: change.environment_id }),
  };
  try {
    const ids = { workspaceId, projectId: change.project_id };
    const prepared = await kind.prepare(trx, ids, subject, payload, change.base_version);
    const unasked = prepared.affects.find(
      ({ id, requires_approval }) => requires_approval && !change.needs.includes(id),
    );
    return unasked === undefined
      ? prepared
      : { failure: `it now reaches the environment ${unasked.key}, which has not approved it` };
  } catch (error) {
    // Preparing only reads, so a rejection leaves nothing in the transaction.
    if (error instanceof Failure) return { failure: error.message };
    throw error;
  }
}

/** Schedules the job that applies the change at its time. */
export async function scheduleChange(trx: Executor, id: string, at: Date): Promise<void> {
  await enqueueJob(trx, { kind: changeJobKind, name: `${changeJobKind}:${id}`, payload: { change: id }, runAt: at });
}
