import type { MetricDefinition } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { refuseStale } from '../../../platform/refuse-stale.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { lockProject } from '../../flags/flags/index.ts';
import { requireReadable } from '../../identity/access/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { checkMetric } from './check.ts';
import { builtInMetric, builtIns } from './definition-rules.ts';
import * as store from './store.ts';

export interface MetricDependencies extends FeatureDependencies {
  readonly gateway: Gateway;
  readonly config: Pick<Config, 'judging'>;
}

/** A metric of a project: its own, or one that every project has. */
export interface KnownMetric {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly definition: MetricDefinition;
  /** Undefined: built in. */
  readonly row?: store.MetricRow;
}

export interface MetricPlace {
  readonly workspace: WorkspaceRef;
  readonly project: ProjectRef;
}

/** A metric by its id or key; undefined: the project has none. */
export async function findKnownMetric(db: Executor, projectId: string, ref: string): Promise<KnownMetric | undefined> {
  return (await findKnownMetrics(db, projectId, [ref])).get(ref);
}

/** Metrics by their ids or keys; those that the project does not have are absent. */
export async function findKnownMetrics(
  db: Executor,
  projectId: string,
  refs: readonly string[],
): Promise<ReadonlyMap<string, KnownMetric>> {
  const own = refs.filter((ref) => builtInMetric(ref) === undefined);
  const named = { ids: own.filter(isId), keys: own.filter((ref) => !isId(ref)) };
  const rows = own.length === 0 ? [] : await store.findMetrics(db, projectId, named);
  const byId = new Map(rows.map((row) => [row.id, knownOf(row)]));
  const byKey = new Map(rows.map((row) => [row.key, knownOf(row)]));
  return new Map(
    refs.flatMap((ref) => {
      const common = builtInMetric(ref);
      const metric: KnownMetric | undefined =
        common === undefined ? (isId(ref) ? byId : byKey).get(ref) : { id: common.key, ...common };
      return metric === undefined ? [] : [[ref, metric] as const];
    }),
  );
}

export function knownOf(row: store.MetricRow): KnownMetric {
  const { id, key, name, definition } = row;
  return { id, key, name, definition, row };
}

export function createMetricService({ db, clock, access, gateway, config }: MetricDependencies) {
  const { metrics: most } = config.judging;

  async function check({ workspace, project }: MetricPlace, definition: MetricDefinition, signal: AbortSignal) {
    const scope = { workspace: workspace.number, project: project.number, environment: undefined };
    await checkMetric(gateway, scope, definition, { nowMs: clock.now(), signal });
  }

  async function find({ project }: MetricPlace, ref: string): Promise<KnownMetric> {
    const metric = await findKnownMetric(db, project.id, ref);
    if (metric === undefined) throw fail('NOT_FOUND', { resource: 'metric' });
    return metric;
  }

  async function own(place: MetricPlace, ref: string): Promise<store.MetricRow> {
    const { row, key } = await find(place, ref);
    if (row === undefined) throw fail('METRIC_BUILT_IN', { key });
    return row;
  }

  /** A metric shows telemetry of the whole project. */
  async function requireTelemetry({ workspace, project }: MetricPlace, caller: UserCaller, environment?: string) {
    await requireReadable(access, caller, { workspace: workspace.id, project: project.id, environment });
  }

  return {
    find,
    check,
    requireTelemetry,

    /** Built-in ones first, then by key. One more than `limit` where there are more. */
    async list(
      { project }: MetricPlace,
      { search, builtIn }: { search: string | undefined; builtIn: boolean | undefined },
      { after, limit }: { after: string | undefined; limit: number },
    ): Promise<KnownMetric[]> {
      const wanted = (search ?? '').toLowerCase();
      // A metric cannot take the key of a built-in one, so a key says where a page ends.
      const last = after === undefined ? -1 : builtIns.findIndex(({ key }) => key === after);
      const isPast = after !== undefined && last === -1;
      const common = isPast || builtIn === false ? [] : builtIns.slice(last + 1);
      const found = common.filter(({ key, name }) => `${key} ${name}`.toLowerCase().includes(wanted));
      const own =
        builtIn === true
          ? []
          : await store.listMetrics(db, project.id, {
              search,
              after: isPast ? after : undefined,
              limit: Math.max(1, limit + 1 - found.length),
            });
      return [...found.map((one) => ({ id: one.key, ...one })), ...own.map(knownOf)].slice(0, limit + 1);
    },

    async create(
      place: MetricPlace,
      caller: UserCaller,
      { key, name, ...definition }: MetricDefinition & { readonly key: string; readonly name: string },
      origin: Origin,
      signal: AbortSignal,
    ): Promise<KnownMetric> {
      const { workspace, project } = place;
      await requireTelemetry(place, caller);
      if (builtInMetric(key) !== undefined) throw fail('KEY_TAKEN', { resource: 'a metric', key });
      await check(place, definition, signal);
      const now = dateOf(clock);
      const id = newId(now.getTime());
      return db.transaction().execute(async (trx) => {
        await lockProject(trx, project.id);
        if ((await store.countMetrics(trx, project.id)) >= most)
          throw fail('LIMIT_REACHED', { limit: most, resource: 'metrics of a project' });
        const row = { id, project_id: project.id, key, name, definition, created_by: caller.user.id, created_at: now };
        if (!(await store.insertMetric(trx, row))) throw fail('KEY_TAKEN', { resource: 'a metric', key });
        const created = await store.findMetric(trx, project.id, id);
        if (created === undefined) throw fail('NOT_FOUND', { resource: 'metric' });
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'metrics.create',
            resource: { type: 'metric', id, name: key },
            projectId: project.id,
            after: { key, name, ...definition },
          },
          now,
        );
        return knownOf(created);
      });
    },

    /** Throws `STALE_VERSION` unless `version` is the current one. */
    async replace(
      place: MetricPlace,
      caller: UserCaller,
      ref: string,
      {
        key,
        version,
        name,
        ...definition
      }: MetricDefinition & {
        readonly key?: string | undefined;
        readonly name: string;
        readonly version: number;
      },
      origin: Origin,
      signal: AbortSignal,
    ): Promise<KnownMetric> {
      const { workspace, project } = place;
      const { id, key: current } = await own(place, ref);
      await requireTelemetry(place, caller);
      if (key !== undefined && key !== current)
        throw fail('METRIC_INVALID', { reason: 'the key cannot change: create a new metric with another key' });
      await check(place, definition, signal);
      const now = dateOf(clock);
      return db.transaction().execute(async (trx) => {
        const before = await store.lockMetric(trx, project.id, id);
        if (before === undefined) throw fail('NOT_FOUND', { resource: 'metric' });
        refuseStale(version, before.version);
        const isSame = isUnchanged([before.name, before.definition], [name, definition]);
        if (!isSame) await store.updateMetric(trx, id, { name, definition, now });
        const row = await store.findMetric(trx, project.id, id);
        if (row === undefined) throw fail('NOT_FOUND', { resource: 'metric' });
        if (isSame) return knownOf(row);
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'metrics.replace',
            resource: { type: 'metric', id, name: before.key },
            projectId: project.id,
            before: { name: before.name, ...before.definition },
            after: { name, ...definition },
          },
          now,
        );
        return knownOf(row);
      });
    },

    async remove(place: MetricPlace, ref: string, origin: Origin): Promise<void> {
      const { workspace, project } = place;
      const { id } = await own(place, ref);
      const now = dateOf(clock);
      await db.transaction().execute(async (trx) => {
        const before = await store.lockMetric(trx, project.id, id);
        if (before === undefined) throw fail('NOT_FOUND', { resource: 'metric' });
        await store.deleteMetric(trx, id);
        await recordAudit(
          trx,
          origin,
          {
            workspaceId: workspace.id,
            action: 'metrics.remove',
            resource: { type: 'metric', id, name: before.key },
            projectId: project.id,
            before: { key: before.key, name: before.name, ...before.definition },
          },
          now,
        );
      });
    },
  };
}
