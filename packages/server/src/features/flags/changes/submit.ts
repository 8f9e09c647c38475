import type { FlagChange } from '@fanion/contract';
import { refuseEnvironmentPin } from '../../../http/pins.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { newId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import {
  type Batch,
  bumpRulesets,
  type Changes,
  listEnvironments,
  lockProject,
  type Prepared,
  type Submission,
  type Submitted,
  type Submitter,
} from '../flags/index.ts';
import { scheduleChange } from './apply.ts';
import { presentChange } from './present.ts';
import * as store from './store.ts';

export const maxWaiting = 1_000;
const waiting: readonly FlagChange['status'][] = ['pending', 'approved', 'scheduled'];

export interface SubmitDependencies extends FeatureDependencies {
  readonly announce: (environmentIds: readonly string[]) => Promise<void>;
}

/** The only code path for changes to what flags serve: writes them, or keeps them until they are approved or due. */
export function createChanges({ db, clock, access, announce }: SubmitDependencies): Changes {
  /** Environments where the caller may bypass approval. Looked up before the transaction, which locks the project. */
  async function bypassable({ place, caller, bypassApproval }: Submitter): Promise<Set<string>> {
    if (!bypassApproval) return new Set();
    const ids = { workspace: place.workspace.id, project: place.project.id };
    const held = new Set<string>();
    for (const environment of await listEnvironments(db, place.project.id)) {
      if (!environment.requires_approval) continue;
      const { permissions } = await access.scope(caller, { ...ids, environment: environment.id });
      if (permissions.has('flags:bypass_approval')) held.add(environment.id);
    }
    return held;
  }

  /** A change to all environments needs the permission in all. */
  async function requireReach({ place, caller }: Submitter): Promise<void> {
    refuseEnvironmentPin(caller, 'flags:write');
    const ids = { workspace: place.workspace.id, project: place.project.id };
    const { permissionsBelow } = await access.scope(caller, ids);
    if (!permissionsBelow.has('flags:write')) throw fail('PERMISSION_DENIED', { permission: 'flags:write' });
  }

  async function keep<P, R>(
    trx: Executor,
    submission: Submission<P, R>,
    prepared: Prepared<R>,
    needs: readonly string[],
    now: Date,
  ): Promise<FlagChange> {
    const { place, caller, origin, applyAt, askForReview, comment = null } = submission;
    if ((await store.countWaiting(trx, place.project.id)) >= maxWaiting)
      throw fail('LIMIT_REACHED', { limit: maxWaiting, resource: 'waiting changes of a project' });
    const id = newId(now.getTime());
    const pending = needs.length > 0 || askForReview === true;
    const { flagId, segmentId, environmentId, diff } = prepared;
    await store.insertChange(trx, {
      id,
      project_id: place.project.id,
      kind: submission.kind.kind,
      flag_id: flagId,
      segment_id: segmentId,
      environment_id: environmentId,
      status: pending ? 'pending' : 'scheduled',
      payload: submission.payload,
      diff,
      base_version: prepared.version,
      needs: [...needs],
      comment,
      apply_at: applyAt ?? null,
      created_at: now,
      created_by: caller.user.id,
    });
    if (!pending && applyAt !== undefined) await scheduleChange(trx, id, applyAt);
    const change = await store.findChange(trx, place.project.id, id);
    if (change === undefined) throw new Error(`the change ${id} does not exist`);
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: place.workspace.id,
        action: submission.action,
        resource: { type: 'flag_change', id, name: change.flag ?? change.segment },
        projectId: place.project.id,
        ...(environmentId !== null && { environmentId }),
        after: { status: change.status, kind: change.kind, diff, comment, apply_at: applyAt?.toISOString() ?? null },
      },
      now,
    );
    return presentChange(change);
  }

  async function write<P, R>(
    trx: Executor,
    { place, caller, origin, action, comment }: Submission<P, R>,
    prepared: Prepared<R>,
    { bypassed, now, rulesetsLater }: { bypassed: boolean; now: Date; rulesetsLater: boolean },
  ): Promise<R> {
    const result = await prepared.write({
      userId: caller.user.id,
      actor: origin.actor,
      now,
      comment: comment ?? null,
      changeId: null,
      rulesetsLater,
    });
    const { environmentId, before, after, resource } = prepared;
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: place.workspace.id,
        action,
        resource,
        projectId: place.project.id,
        ...(environmentId !== null && { environmentId }),
        before,
        after: {
          ...(after as object),
          ...(comment !== undefined && { comment }),
          ...(bypassed && { bypassed_approval: true }),
        },
      },
      now,
    );
    return result;
  }

  /** @param trx has locked the project */
  async function submitIn<P, R>(
    { trx, now, changed, rulesetsLater }: Omit<Batch, 'submit'>,
    submission: Submission<P, R>,
    mayBypass: ReadonlySet<string>,
  ): Promise<Submitted<R>> {
    const { place, kind, subject, payload, version, applyAt, askForReview } = submission;
    const ids = { workspaceId: place.workspace.id, projectId: place.project.id };
    const prepared = await kind.prepare(trx, ids, subject, payload, version);
    if (prepared.unchanged !== undefined && applyAt === undefined && !askForReview)
      return { status: 'applied', result: prepared.unchanged };
    const guarded = prepared.affects.filter((environment) => environment.requires_approval).map(({ id }) => id);
    const bypassed = submission.bypassApproval === true && guarded.length > 0;
    if (bypassed && guarded.some((id) => !mayBypass.has(id)))
      throw fail('PERMISSION_DENIED', { permission: 'flags:bypass_approval' });
    if ((guarded.length > 0 && !bypassed) || applyAt !== undefined || askForReview) {
      const change = await keep(trx, submission, prepared, bypassed ? [] : guarded, now);
      return { status: 'waiting', change };
    }
    const result = await write(trx, submission, prepared, { bypassed, now, rulesetsLater });
    changed(prepared.rulesets);
    return { status: 'applied', result };
  }

  /** Runs `work` with the project locked, and announces the rulesets that it changed after the commit. */
  async function inProject<T>(
    submitter: Submitter,
    rulesetsLater: boolean,
    work: (batch: Batch) => Promise<T>,
  ): Promise<T> {
    const mayBypass = await bypassable(submitter);
    const rulesets = new Set<string>();
    const result = await db.transaction().execute(async (trx) => {
      await lockProject(trx, submitter.place.project.id);
      const open = {
        trx,
        // Read under the lock, so that the times of a project's changes are in the order of their writes.
        now: dateOf(clock),
        rulesetsLater,
        changed(environmentIds: readonly string[]) {
          for (const id of environmentIds) rulesets.add(id);
        },
      };
      const done = await work({ ...open, submit: (submission) => submitIn(open, submission, mayBypass) });
      if (rulesetsLater) await bumpRulesets(trx, [...rulesets], open.now);
      return done;
    });
    await announce([...rulesets]);
    return result;
  }

  return {
    async submit<P, R>(submission: Submission<P, R>): Promise<Submitted<R>> {
      if (submission.kind.reach === 'project') await requireReach(submission);
      return inProject(submission, false, (batch) => batch.submit(submission));
    },
    async together(submitter, work) {
      await requireReach(submitter);
      return inProject(submitter, true, work);
    },
    async findWaiting(projectId, id) {
      const change = await store.findChange(db, projectId, id);
      return change !== undefined && waiting.includes(change.status) ? presentChange(change) : undefined;
    },
  };
}
