import type { FlagChange } from '@fanion/contract';
import { refuseEnvironmentPin } from '../../../http/pins.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { newId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { recordAudit, recordAudits } from '../../identity/audit/index.ts';
import {
  type Authorship,
  type Batch,
  type BulkKind,
  bumpRulesets,
  type Changes,
  type LocatedSubmission,
  listEnvironments,
  locating,
  lockProject,
  type Plan,
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

type OpenBatch = Omit<Batch, 'submit' | 'submitMany'>;

/** The only code path for changes to what flags serve: writes them, or keeps them until they are approved or due. */
export function createChanges(dependencies: SubmitDependencies): Changes {
  return {
    async submit<P, R>(submission: Submission<P, R>): Promise<Submitted<R>> {
      if (submission.kind.reach === 'project') await requireReach(dependencies, submission);
      return inProject(dependencies, submission, false, (batch) => batch.submit(submission));
    },
    async together(submitter, work) {
      await requireReach(dependencies, submitter);
      return inProject(dependencies, submitter, true, work);
    },
    async findWaiting(projectId, id) {
      const change = await store.findChange(dependencies.db, projectId, id);
      return change !== undefined && waiting.includes(change.status) ? presentChange(change) : undefined;
    },
  };
}

/** A change to all environments needs the permission in all. */
async function requireReach(
  { access }: Pick<SubmitDependencies, 'access'>,
  { place, caller }: Submitter,
): Promise<void> {
  refuseEnvironmentPin(caller, 'flags:write');
  const ids = { workspace: place.workspace.id, project: place.project.id };
  const { permissionsBelow } = await access.scope(caller, ids);
  if (!permissionsBelow.has('flags:write')) throw fail('PERMISSION_DENIED', { permission: 'flags:write' });
}

/** Runs `work` with the project locked, and announces the rulesets that it changed after the commit. */
async function inProject<T>(
  { db, access, clock, announce }: SubmitDependencies,
  submitter: Submitter,
  rulesetsLater: boolean,
  work: (batch: Batch) => Promise<T>,
): Promise<T> {
  const mayBypass = await bypassable({ db, access }, submitter);
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
    const done = await work({
      ...open,
      submit: (submission) => submitIn(open, submission, mayBypass),
      submitMany: (kind, submissions) => submitManyIn(open, kind, submissions, mayBypass),
    });
    if (rulesetsLater) await bumpRulesets(trx, [...rulesets], open.now);
    return done;
  });
  await announce([...rulesets]);
  return result;
}

/** Environments where the caller may bypass approval. Looked up before the transaction, which locks the project. */
async function bypassable(
  { db, access }: Pick<SubmitDependencies, 'db' | 'access'>,
  { place, caller, bypassApproval }: Submitter,
): Promise<Set<string>> {
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

/** @param trx has locked the project */
async function submitIn<P, R>(
  open: OpenBatch,
  submission: Submission<P, R>,
  mayBypass: ReadonlySet<string>,
): Promise<Submitted<R>> {
  const { trx, changed } = open;
  const { place, origin, kind, subject, payload, version } = submission;
  const ids = { workspaceId: place.workspace.id, projectId: place.project.id };
  const prepared = await kind.prepare(trx, ids, subject, payload, version);
  const way = wayOf(submission, prepared, mayBypass);
  if (way.way === 'none') return { status: 'applied', result: way.result };
  if (way.way === 'wait')
    return { status: 'waiting', change: await keep(trx, submission, prepared, way.needs, open.now) };
  const result = await prepared.write(authorshipOf(submission, open));
  await recordAudit(trx, origin, auditFact(submission, prepared, way.bypassed), open.now);
  changed(prepared.rulesets);
  return { status: 'applied', result };
}

/** As `submitIn`. The submissions are by one caller, each about another subject. */
async function submitManyIn<P, R>(
  open: OpenBatch,
  kind: BulkKind<P, R>,
  submissions: readonly LocatedSubmission<P, R>[],
  mayBypass: ReadonlySet<string>,
): Promise<Submitted<R>[]> {
  const [first] = submissions;
  if (first === undefined) return [];
  const ids = { workspaceId: first.place.workspace.id, projectId: first.place.project.id };
  const { plans, write } = await kind.prepareMany(open.trx, ids, submissions);
  const submitted: Submitted<R>[] = [];
  const writes: { at: number; authorship: Authorship; audit: ReturnType<typeof auditFact> }[] = [];
  for (const [at, submission] of submissions.entries()) {
    const plan = plans[at];
    if (plan === undefined) throw new Error(`the change ${at} was not prepared`);
    const way = locating(submission, () => wayOf(submission, plan, mayBypass));
    if (way.way === 'none') submitted[at] = { status: 'applied', result: way.result };
    else if (way.way === 'wait')
      submitted[at] = {
        status: 'waiting',
        change: await keep(open.trx, { ...submission, kind }, plan, way.needs, open.now),
      };
    else {
      writes.push({
        at,
        authorship: authorshipOf(submission, open),
        audit: auditFact(submission, plan, way.bypassed),
      });
      open.changed(plan.rulesets);
    }
  }
  const results = await write(writes);
  for (const [i, { at }] of writes.entries()) submitted[at] = { status: 'applied', result: results[i] as R };
  await recordAudits(
    open.trx,
    first.origin,
    writes.map(({ audit }) => audit),
    open.now,
  );
  return submitted;
}

/** Keeps a change until it is approved or due. */
async function keep<P, R>(
  trx: Executor,
  submission: Submission<P, R>,
  prepared: Plan<R>,
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

type Way<R> =
  | { readonly way: 'none'; readonly result: R }
  | { readonly way: 'wait'; readonly needs: readonly string[] }
  | { readonly way: 'write'; readonly bypassed: boolean };

/** What becomes of a change. Throws `PERMISSION_DENIED` where the caller may not bypass the approval. */
function wayOf<R>(
  {
    applyAt,
    askForReview,
    bypassApproval,
  }: Pick<Submission<unknown, R>, 'applyAt' | 'askForReview' | 'bypassApproval'>,
  { unchanged, affects }: Plan<R>,
  mayBypass: ReadonlySet<string>,
): Way<R> {
  if (unchanged !== undefined && applyAt === undefined && !askForReview) return { way: 'none', result: unchanged };
  const guarded = affects.filter((environment) => environment.requires_approval).map(({ id }) => id);
  const bypassed = bypassApproval === true && guarded.length > 0;
  if (bypassed && guarded.some((id) => !mayBypass.has(id)))
    throw fail('PERMISSION_DENIED', { permission: 'flags:bypass_approval' });
  if ((guarded.length > 0 && !bypassed) || applyAt !== undefined || askForReview)
    return { way: 'wait', needs: bypassed ? [] : guarded };
  return { way: 'write', bypassed };
}

function authorshipOf(
  { caller, origin, comment }: Pick<Submission<unknown, unknown>, 'caller' | 'origin' | 'comment'>,
  { now, rulesetsLater }: OpenBatch,
): Authorship {
  return {
    userId: caller.user.id,
    actor: origin.actor,
    now,
    comment: comment ?? null,
    changeId: null,
    rulesetsLater,
  };
}

function auditFact(
  { place, action, comment }: Pick<Submission<unknown, unknown>, 'place' | 'action' | 'comment'>,
  { environmentId, before, after, resource }: Plan<unknown>,
  bypassed: boolean,
) {
  return {
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
  };
}
