import { isDeepStrictEqual } from 'node:util';
import type { SloIndicator } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import { refuseStale } from '../../../platform/refuse-stale.ts';
import { putSloRules, removeSloRules } from '../../alerting/alert-rules/index.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { isReadable, requireReadable } from '../../identity/access/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import type { PlacedFilter, ProjectRetention } from '../../identity/projects/index.ts';
import { lockWorkspace } from '../../identity/workspaces/index.ts';
import { requireSamePlace } from '../place.ts';
import { rulesOf } from './alerts.ts';
import { checkIndicator } from './check.ts';
import { backfillRange } from './indicator-rules.ts';
import { readStatuses } from './status.ts';
import * as store from './store.ts';

export interface SloDependencies extends FeatureDependencies {
  readonly gateway: Gateway;
  readonly retention: ProjectRetention;
  readonly config: { readonly slos: Config['slos'] };
}

export type SloInput = { readonly name: string } & store.SloValues['definition'];

/** The place that an SLO reads. */
export interface SloPlace {
  readonly workspace: WorkspaceRef;
  readonly project: Pick<ProjectRef, 'id' | 'number'>;
  readonly environment: string | undefined;
}

export function createSloService({ db, clock, access, gateway, retention, config }: SloDependencies) {
  const { perWorkspace } = config.slos;
  function check({ workspace, project, environment }: SloPlace, indicator: SloIndicator, signal: AbortSignal) {
    const scope = { workspace: workspace.number, project: project.number, environment };
    return checkIndicator(gateway, scope, indicator, { nowMs: clock.now(), signal });
  }

  async function recount(projectId: string, { indicator, window }: SloInput, now: Date): Promise<store.Recount> {
    const { traces, logs, metrics } = await retention.of(projectId);
    const keptDays = Math.max(traces, logs, metrics);
    const { fromMs, toMs } = backfillRange(indicator, window, { nowMs: now.getTime(), keptDays });
    const to = new Date(toMs);
    return { derived_to: to, backfill_from: new Date(fromMs), backfill_to: to, backfill_at: to };
  }

  async function find(workspace: WorkspaceRef, id: string): Promise<store.SloRow> {
    const row = isId(id) ? await store.findSlo(db, workspace.id, id) : undefined;
    if (row === undefined) throw fail('NOT_FOUND', { resource: 'SLO' });
    return row;
  }

  /** The SLO; throws unless the caller may read the telemetry that it is about. */
  async function readable(workspace: WorkspaceRef, caller: UserCaller, id: string): Promise<store.SloRow> {
    const row = await find(workspace, id);
    const environment = row.environment ?? undefined;
    await requireReadable(access, caller, { workspace: workspace.id, project: row.project_id, environment });
    return row;
  }

  /** Burn alerts are alert rules: whoever makes, changes or removes them needs what any other alert rule needs. */
  async function requireAlerts(
    workspace: WorkspaceRef,
    caller: UserCaller,
    ...definitions: readonly Pick<store.SloValues['definition'], 'burn_alerts'>[]
  ): Promise<void> {
    if (!definitions.some((definition) => definition.burn_alerts)) return;
    const { permissions } = await access.scope(caller, { workspace: workspace.id });
    if (!permissions.has('alerts:write')) throw fail('PERMISSION_DENIED', { permission: 'alerts:write' });
  }

  return {
    find,
    readable,

    /** One row more than `limit` where there are more. */
    async list(
      workspace: WorkspaceRef,
      filter: PlacedFilter,
      { after, limit }: { after: string | undefined; limit: number },
    ) {
      return store.listSlos(db, workspace.id, filter, { after, limit: limit + 1 });
    },

    /** How SLOs stand, by id: those whose telemetry the caller may query. */
    async statuses(workspace: WorkspaceRef, caller: UserCaller, slos: readonly store.SloRow[], signal: AbortSignal) {
      const found = new Map<string, Awaited<ReturnType<typeof readStatuses>>[number]>();
      const places = new Map<string, store.SloRow[]>();
      for (const slo of slos) {
        const key = `${slo.project_id} ${slo.environment ?? ''}`;
        places.set(key, [...(places.get(key) ?? []), slo]);
      }
      for (const own of places.values()) {
        const { project_id: project, environment } = own[0] ?? { project_id: undefined, environment: null };
        const place = { workspace: workspace.id, project, environment: environment ?? undefined };
        if (!(await isReadable(access, caller, place))) continue;
        const statuses = await readStatuses(gateway.lane('interactive'), own, clock.now(), signal);
        own.forEach(({ id }, i) => {
          const status = statuses[i];
          if (status !== undefined) found.set(id, status);
        });
      }
      return found;
    },

    async create(
      place: SloPlace,
      caller: UserCaller,
      { name, ...definition }: SloInput,
      origin: Origin,
      signal: AbortSignal,
      action: 'slos.create' | 'slos.import' = 'slos.create',
    ) {
      const { workspace, project, environment } = place;
      await requireReadable(access, caller, { workspace: workspace.id, project: project.id, environment });
      await requireAlerts(workspace, caller, definition);
      await check(place, definition.indicator, signal);
      const now = dateOf(clock);
      const id = newId(now.getTime());
      const past = await recount(project.id, { name, ...definition }, now);
      return db.transaction().execute(async (trx) => {
        if ((await lockWorkspace(trx, workspace.id)) === undefined) throw fail('NOT_FOUND', { resource: 'workspace' });
        if ((await store.countSlos(trx, workspace.id)) >= perWorkspace)
          throw fail('LIMIT_REACHED', { limit: perWorkspace, resource: 'SLOs' });
        await store.insertSlo(trx, {
          id,
          workspace_id: workspace.id,
          project_id: project.id,
          environment: environment ?? null,
          name,
          definition,
          ...past,
          created_by: caller.user.id,
          created_at: now,
        });
        const row = await store.findSlo(trx, workspace.id, id);
        if (row === undefined) throw fail('NOT_FOUND', { resource: 'SLO' });
        await putSloRules(trx, row, rulesOf(row), now);
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action,
            resource: { type: 'slo', id, name },
            projectId: project.id,
            after: { name, ...definition },
          },
          now,
        );
        return row;
      });
    },

    /** Throws `STALE_VERSION` unless `version` is the current one. */
    async replace(
      workspace: WorkspaceRef,
      caller: UserCaller,
      id: string,
      {
        version,
        project,
        environment,
        ...input
      }: SloInput & {
        readonly version: number;
        readonly project?: string | undefined;
        readonly environment?: string | null | undefined;
      },
      origin: Origin,
      signal: AbortSignal,
    ) {
      const current = await readable(workspace, caller, id);
      requireSamePlace(current, { project, environment }, 'SLO_INVALID');
      const { name, ...definition } = input;
      await requireAlerts(workspace, caller, definition, current.definition);
      const place = {
        workspace,
        project: { id: current.project_id, number: current.project_number },
        environment: current.environment ?? undefined,
      };
      await check(place, definition.indicator, signal);
      const now = dateOf(clock);
      const past = await recount(current.project_id, input, now);
      return db.transaction().execute(async (trx) => {
        const before = await store.lockSlo(trx, workspace.id, id);
        if (before === undefined) throw fail('NOT_FOUND', { resource: 'SLO' });
        refuseStale(version, before.version);
        const isSame = isUnchanged([before.name, before.definition], [name, definition]);
        const counts = changed(before.definition, definition, past, before.backfill_from);
        if (!isSame) await store.updateSlo(trx, id, { name, definition }, counts, now);
        const row = await store.findSlo(trx, workspace.id, id);
        if (row === undefined) throw fail('NOT_FOUND', { resource: 'SLO' });
        if (isSame) return row;
        await putSloRules(trx, row, rulesOf(row), now);
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'slos.replace',
            resource: { type: 'slo', id, name },
            projectId: before.project_id,
            before: { name: before.name, ...before.definition },
            after: { name, ...definition },
          },
          now,
        );
        return row;
      });
    },

    async remove(workspace: WorkspaceRef, caller: UserCaller, id: string, origin: Origin): Promise<void> {
      const current = await readable(workspace, caller, id);
      await requireAlerts(workspace, caller, current.definition);
      const now = dateOf(clock);
      await db.transaction().execute(async (trx) => {
        const before = await store.lockSlo(trx, workspace.id, id);
        if (before === undefined) throw fail('NOT_FOUND', { resource: 'SLO' });
        await removeSloRules(trx, id);
        await store.deleteSlo(trx, id);
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'slos.remove',
            resource: { type: 'slo', id, name: before.name },
            projectId: before.project_id,
            before: { name: before.name, ...before.definition },
          },
          now,
        );
      });
    },
  };
}

/** What is counted again: all of another indicator, and of a longer window the time that is not counted yet. */
function changed(
  before: store.SloValues['definition'],
  after: store.SloValues['definition'],
  past: store.Recount,
  countedFrom: Date,
): store.Recount | undefined {
  const isSame = isDeepStrictEqual(before.indicator, after.indicator);
  return isSame && past.backfill_from >= countedFrom ? undefined : past;
}
