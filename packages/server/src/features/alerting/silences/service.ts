import type { RouteBody, silencesRoutes } from '@fanion/contract';
import type { UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { createBreath } from '../../../platform/breath.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { parseTime } from '../../../platform/time-window.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { lockWorkspace } from '../../identity/workspaces/index.ts';
import { type CompiledMatchers, compileStored, type ReadMatchers, readMatchers } from '../matchers/index.ts';
import { type SilenceStatus, statusOf, timesProblem } from './rules.ts';
import * as store from './store.ts';

/** Silences of a workspace that are not over. */
const maxSilences = 1_000;
/** Instructions of all their patterns: what comparing one alert with all of them costs, some 50 ms for the longest labels. */
const maxSize = 10_000;
const maxPreviewed = 100;

type Routes = typeof silencesRoutes;

export function createSilenceService({ db, clock }: Pick<FeatureDependencies, 'db' | 'clock'>) {
  /** How many of the alerts that fire now each of the matchers matches. */
  async function matchedBy(workspaceId: string, matchers: readonly CompiledMatchers[]): Promise<number[]> {
    const counts = matchers.map(() => 0);
    if (matchers.length === 0) return counts;
    const breath = createBreath();
    for (const alert of await store.listFiring(db, workspaceId)) {
      const labels = { ...alert.labels, alertname: alert.rule_name };
      for (const [i, one] of matchers.entries()) if (one.match(labels)) counts[i] = (counts[i] ?? 0) + 1;
      await breath();
    }
    return counts;
  }

  async function presentAll(workspaceId: string, rows: readonly store.SilenceRow[]) {
    const now = clock.now();
    const current = rows.filter((row) => statusOf(timesOf(row), now) !== 'expired');
    const counts = await matchedBy(
      workspaceId,
      current.map(({ matchers }) => compileStored(matchers)),
    );
    const matched = new Map(current.map(({ id }, i) => [id, counts[i] ?? 0]));
    return rows.map((row) => present(row, matched.get(row.id) ?? 0, now));
  }

  return {
    /** One row more than `limit` where there are more. */
    async list(
      workspace: WorkspaceRef,
      status: SilenceStatus | undefined,
      { after, limit }: { after: string | undefined; limit: number },
    ) {
      const filter = { status, now: dateOf(clock) };
      return presentAll(workspace.id, await store.listSilences(db, workspace.id, filter, { after, limit: limit + 1 }));
    },

    async preview(workspace: WorkspaceRef, input: RouteBody<Routes['previewSilence']>['matchers']) {
      const { compiled } = read(input);
      const breath = createBreath();
      const instances: store.FiringRow[] = [];
      let matched = 0;
      for (const alert of await store.listFiring(db, workspace.id)) {
        const labels = { ...alert.labels, alertname: alert.rule_name };
        if (compiled.match(labels) && ++matched <= maxPreviewed) instances.push({ ...alert, labels });
        await breath();
      }
      return { matched, instances };
    },

    async create(
      workspace: WorkspaceRef,
      caller: UserCaller,
      { matchers: input, starts_at, ends_at, comment }: RouteBody<Routes['createSilence']>,
      origin: Origin,
    ) {
      const { matchers, compiled } = read(input);
      const now = dateOf(clock);
      const ms = (text: string | number, name: string) => Number(parseTime(text, name, now.getTime()) / 1_000_000n);
      const times = {
        startsAt: starts_at === undefined ? now.getTime() : ms(starts_at, 'starts_at'),
        endsAt: ms(ends_at, 'ends_at'),
      };
      const problem = timesProblem(times, now.getTime());
      if (problem !== undefined) throw invalid(problem.path, problem.message);
      const id = newId(now.getTime());
      await db.transaction().execute(async (trx) => {
        if ((await lockWorkspace(trx, workspace.id)) === undefined) throw fail('NOT_FOUND', { resource: 'workspace' });
        const current = await store.listCurrentMatchers(trx, workspace.id, now);
        if (current.length >= maxSilences) throw fail('LIMIT_REACHED', { limit: maxSilences, resource: 'silences' });
        const size = current.reduce((sum, one) => sum + compileStored(one).size, compiled.size);
        if (size > maxSize)
          throw invalid('matchers', `makes the patterns of all silences too large: ${size} instructions of ${maxSize}`);
        await store.insertSilence(trx, {
          id,
          workspace_id: workspace.id,
          matchers,
          starts_at: new Date(times.startsAt),
          ends_at: new Date(times.endsAt),
          comment,
          created_by: caller.user.id,
          created_at: now,
        });
        const after = { matchers, starts_at: new Date(times.startsAt), ends_at: new Date(times.endsAt), comment };
        const resource = { type: 'silence', id, name: comment.slice(0, 200) };
        await recordAudit(trx, origin, { workspaceId: workspace.id, action: 'silences.create', resource, after }, now);
      });
      const row = await store.findSilence(db, workspace.id, id);
      if (row === undefined) throw fail('NOT_FOUND', { resource: 'silence' });
      const [silence] = await presentAll(workspace.id, [row]);
      if (silence === undefined) throw fail('NOT_FOUND', { resource: 'silence' });
      return silence;
    },

    async expire(workspace: WorkspaceRef, id: string, origin: Origin): Promise<void> {
      const now = dateOf(clock);
      await db.transaction().execute(async (trx) => {
        const row = isId(id) ? await store.findSilence(trx, workspace.id, id) : undefined;
        if (row === undefined) throw fail('NOT_FOUND', { resource: 'silence' });
        await store.expireSilence(trx, id, now);
        const { matchers, starts_at, ends_at, comment } = row;
        const resource = { type: 'silence', id, name: comment.slice(0, 200) };
        const before = { matchers, starts_at, ends_at, comment };
        await recordAudit(trx, origin, { workspaceId: workspace.id, action: 'silences.remove', resource, before }, now);
      });
    },
  };
}

function read(input: RouteBody<Routes['previewSilence']>['matchers']): ReadMatchers {
  const matchers = readMatchers(input, 'matchers');
  if ('message' in matchers) throw invalid(matchers.path, matchers.message);
  if (matchers.compiled.match({}))
    throw invalid('matchers', 'match every alert: at least one matcher must refuse the empty label');
  return matchers;
}

function invalid(path: string, message: string) {
  return fail('SILENCE_INVALID', { reason: `${path} ${message}` }, { details: [{ path, message }] });
}

function timesOf({ starts_at, ends_at }: store.SilenceRow) {
  return { startsAt: starts_at.getTime(), endsAt: ends_at.getTime() };
}

function present(row: store.SilenceRow, matched: number, now: number) {
  return {
    id: row.id,
    status: statusOf(timesOf(row), now),
    matchers: row.matchers,
    starts_at: row.starts_at.toISOString(),
    ends_at: row.ends_at.toISOString(),
    comment: row.comment,
    matched,
    created_by: row.created_by === null ? null : { id: row.created_by, name: row.created_by_name ?? '' },
    created_at: row.created_at.toISOString(),
  };
}
