import type { FlagChange } from '@fanion/contract';
import type { UserCaller } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { dateOf } from '../../../platform/clock.ts';
import { Failure, fail } from '../../../platform/fail.ts';
import { isId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { AnyChangeKind } from '../../change-kind.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { listEnvironments, lockProject, type Place } from '../flags/index.ts';
import { applyChange, scheduleChange } from './apply.ts';
import { presentChange } from './present.ts';
import * as store from './store.ts';
import type { SubmitDependencies } from './submit.ts';

type Verdict = 'approve' | 'reject' | 'cancel';

type ReviewDependencies = SubmitDependencies & { readonly changeKinds: readonly AnyChangeKind[] };

/** Approves, rejects or withdraws a waiting change. */
export function createReview(parts: ReviewDependencies) {
  const { db, clock, announce, changeKinds } = parts;

  return async function review(
    place: Place,
    caller: UserCaller,
    id: string,
    verdict: Verdict,
    comment: string | undefined,
    origin: Origin,
  ): Promise<FlagChange> {
    const known = isId(id) ? await store.findChange(db, place.project.id, id) : undefined;
    if (known === undefined) throw fail('CHANGE_NOT_FOUND', { id });
    await requirePermission(parts, place, caller, known, verdict);
    // A person stays the same with another token.
    if (verdict === 'approve' && known.created_by === caller.user.id) throw fail('SELF_APPROVAL');
    const { reviewed, rulesets } = await db.transaction().execute(async (trx) => {
      await lockProject(trx, place.project.id);
      const now = dateOf(clock);
      const change = await store.findChange(trx, place.project.id, id);
      if (change === undefined) throw fail('CHANGE_NOT_FOUND', { id });
      const rulesets = await decide(changeKinds, trx, place, change, verdict, now);
      await store.updateChange(trx, id, {
        reviewed_at: now,
        reviewed_by: caller.user.id,
        review_comment: comment ?? null,
      });
      const reviewed = (await store.findChange(trx, place.project.id, id)) ?? change;
      await recordAudit(
        trx,
        origin,
        {
          workspaceId: place.workspace.id,
          action: `flag_changes.${verdict}`,
          resource: { type: 'flag_change', id, name: change.flag ?? change.segment },
          projectId: place.project.id,
          ...(change.environment_id !== null && { environmentId: change.environment_id }),
          before: { status: change.status },
          after: { status: reviewed.status, failure: reviewed.failure, comment: comment ?? null, diff: change.diff },
        },
        now,
      );
      return { reviewed, rulesets };
    });
    await announce(rulesets);
    return presentChange(reviewed);
  };
}

/** Throws 404 for a change that the caller may not see, and 403 for a missing permission. */
async function requirePermission(
  { db, access }: ReviewDependencies,
  place: Place,
  caller: UserCaller,
  change: store.ChangeRow,
  verdict: Verdict,
) {
  const permission = verdict === 'cancel' ? 'flags:write' : 'flags:approve';
  const live = new Set((await listEnvironments(db, place.project.id)).map(({ id }) => id));
  const reached = new Set([...change.needs, ...(change.environment_id === null ? [] : [change.environment_id])]);
  const ids = { workspace: place.workspace.id, project: place.project.id };
  for (const environment of reached) {
    if (!live.has(environment)) continue;
    const { permissions } = await access.scope(caller, { ...ids, environment }).catch((error: unknown) => {
      throw error instanceof Failure && error.error === 'NOT_FOUND'
        ? fail('CHANGE_NOT_FOUND', { id: change.id })
        : error;
    });
    if (!permissions.has(permission)) throw fail('PERMISSION_DENIED', { permission });
  }
  if (change.environment_id === null) {
    const { permissionsBelow } = await access.scope(caller, ids);
    if (!permissionsBelow.has(permission)) throw fail('PERMISSION_DENIED', { permission });
  }
}

async function decide(
  changeKinds: ReviewDependencies['changeKinds'],
  trx: Executor,
  place: Place,
  change: store.ChangeRow,
  verdict: Verdict,
  now: Date,
): Promise<readonly string[]> {
  const { id, apply_at: applyAt, status } = change;
  const open = status === 'pending' || (verdict === 'cancel' && status === 'scheduled');
  if (!open) throw fail('CHANGE_STATE', { status });
  if (verdict !== 'approve') {
    await store.updateChange(trx, id, { status: verdict === 'reject' ? 'rejected' : 'cancelled' });
    return [];
  }
  if (applyAt !== null && applyAt > now) {
    await store.updateChange(trx, id, { status: 'scheduled' });
    await scheduleChange(trx, id, applyAt);
    return [];
  }
  return (await applyChange(trx, changeKinds, change, place.workspace.id, now)).rulesets;
}
