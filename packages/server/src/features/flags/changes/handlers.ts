import { flagChangesRoutes } from '@fanion/contract';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import { accepted, type Context, implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { pinOf } from '../../../http/pins.ts';
import { fail } from '../../../platform/fail.ts';
import { isId } from '../../../platform/ids.ts';
import { parseTime } from '../../../platform/time-window.ts';
import type { AnyChangeKind } from '../../change-kind.ts';
import {
  type Changes,
  createPastVersions,
  createRestore,
  findEnvironment,
  findFlag,
  listHistory,
  presentHistory,
  requirePlace,
  targetingChange,
} from '../flags/index.ts';
import { presentChange } from './present.ts';
import { createReview } from './review.ts';
import * as store from './store.ts';
import type { SubmitDependencies } from './submit.ts';

export interface ChangesDependencies extends SubmitDependencies {
  readonly changes: Changes;
  readonly changeKinds: readonly AnyChangeKind[];
}

/** Routes of waiting changes, and of the history of applied ones. */
export function changesHandlers(dependencies: ChangesDependencies): MountedRoute[] {
  const review = createReview(dependencies);
  const restore = createRestore(dependencies);
  const past = createPastVersions(dependencies);

  return implement(flagChangesRoutes, {
    async listDeferredChanges({ workspace, project, environment, params, query }) {
      const { key } = await flagOf(dependencies, project, params.key);
      const { status, limit, cursor } = query;
      return list(
        dependencies,
        { workspace, project },
        { flag: key, environment: environment.id, status, limit },
        cursor,
      );
    },
    deferChange: (context) => deferred(dependencies, context),
    async listFlagChanges({ workspace, project, caller, query }) {
      const { status, flag, environment, limit, cursor } = query;
      return list(
        dependencies,
        { workspace, project },
        { status, flag, environment: visible(caller, environment), limit },
        cursor,
      );
    },
    approveFlagChange: ({ workspace, project, caller, params, body, origin }) =>
      review({ workspace, project }, caller, params.id, 'approve', body?.comment, origin),
    rejectFlagChange: ({ workspace, project, caller, params, body, origin }) =>
      review({ workspace, project }, caller, params.id, 'reject', body?.comment, origin),
    cancelFlagChange: ({ workspace, project, caller, params, body, origin }) =>
      review({ workspace, project }, caller, params.id, 'cancel', body?.comment, origin),
    listHistory: (context) => historyOf(dependencies, context),
    async getHistoryVersion({ project, caller, params }) {
      return past.find(
        await flagOf(dependencies, project, params.key),
        params.id,
        pinOf(caller)?.environmentId ?? undefined,
      );
    },
    async getPreviousVersion({ project, environment, params }) {
      return past.previous(project, environment, params.key);
    },
    async restoreFlag({ workspace, project, caller, params, body, origin }) {
      const restored = await restore({ workspace, project }, caller, params.key, params.id, body ?? {}, origin);
      return restored.status === 'waiting' ? accepted(restored.change) : restored.result;
    },
  });
}

async function flagOf({ db }: ChangesDependencies, project: ProjectRef, key: string) {
  const flag = await findFlag(db, project.id, key);
  if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
  return flag;
}

async function list(
  { db }: ChangesDependencies,
  { project, workspace }: { readonly project: ProjectRef; readonly workspace: WorkspaceRef },
  filter: Omit<store.ChangeFilter, 'after'>,
  cursor: string | undefined,
) {
  const after = decodeCursor(cursor, isId);
  const rows = await store.listChanges(db, project.id, { ...filter, after, limit: filter.limit + 1 });
  if (rows.length === 0) await requirePlace(db, { workspace, project }, filter);
  const { items, nextCursor } = cutPage(rows, filter.limit, ({ id }) => id);
  return page(items.map(presentChange), nextCursor);
}

/** The environment of a pinned token, else the requested one. */
function visible(caller: UserCaller, asked: string | undefined) {
  return pinOf(caller)?.environmentId ?? asked;
}

async function deferred(
  dependencies: ChangesDependencies,
  { workspace, project, environment, caller, params, body, origin }: Context<typeof flagChangesRoutes.deferChange>,
) {
  const at = body.apply_at === undefined ? undefined : momentOf(body.apply_at, dependencies.clock.now());
  const submitted = await dependencies.changes.submit({
    place: { workspace, project },
    caller,
    origin,
    action: 'flags.defer_change',
    kind: targetingChange,
    subject: { flag: params.key, environmentId: environment.id },
    payload: body.patch,
    version: body.version,
    comment: body.comment,
    applyAt: at,
    askForReview: at === undefined,
  });
  if (submitted.status === 'applied') throw new Error('a change that should wait was applied');
  return submitted.change;
}

async function historyOf(
  dependencies: ChangesDependencies,
  { project, caller, params, query: { environment, limit, cursor } }: Context<typeof flagChangesRoutes.listHistory>,
) {
  const { db } = dependencies;
  const flag = await flagOf(dependencies, project, params.key);
  const asked = visible(caller, environment);
  const environmentId = asked === undefined ? undefined : (await findEnvironment(db, project.id, asked))?.id;
  if (asked !== undefined && environmentId === undefined) throw fail('NOT_FOUND', { resource: 'environment' });
  const after = decodeCursor(cursor, isId);
  const rows = await listHistory(db, flag.id, { environmentId, after, limit: limit + 1 });
  const { items, nextCursor } = cutPage(rows, limit, ({ id }) => id);
  return page(items.map(presentHistory), nextCursor);
}

/** Parses a time that must not be in the past. */
function momentOf(input: string | number, nowMs: number): Date {
  const ms = Number(parseTime(input, 'apply_at', nowMs) / 1_000_000n);
  if (ms < nowMs) throw fail('WINDOW_INVALID', { reason: 'apply_at is in the past' });
  return new Date(ms);
}
