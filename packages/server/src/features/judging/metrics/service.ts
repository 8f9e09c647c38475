import type { MetricDefinition } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import type { ProjectRef } from '../../../http/caller.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { isId } from '../../../platform/ids.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import type { Database, Executor } from '../../../platform/postgres/database.ts';
import { refuseStale } from '../../../platform/refuse-stale.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { lockProject, type Place } from '../../flags/flags/index.ts';
import { requireReadable } from '../../identity/access/index.ts';
import { audit, existing, firstVersion, type Writer } from '../../identity/resources/index.ts';
import { checkMetric } from './check.ts';
import { builtInMetric, builtIns } from './definition-rules.ts';
import { findMetrics, listMetrics, type MetricRow, metrics } from './store.ts';

export interface MetricDependencies extends FeatureDependencies {
  readonly gateway: Gateway;
  readonly config: Pick<Config, 'flagMetrics'>;
}

/** A metric of a project: its own, or one that every project has. */
export interface KnownMetric {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly definition: MetricDefinition;
  /** Undefined: built in. */
  readonly row?: MetricRow;
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
  const rows = own.length === 0 ? [] : await findMetrics(db, projectId, named);
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

export function knownOf(row: MetricRow): KnownMetric {
  const { id, key, name, definition } = row;
  return { id, key, name, definition, row };
}

/** Who writes a metric of which project. */
type Request = Writer & { readonly project: ProjectRef; readonly signal: AbortSignal };

export async function find(db: Executor, projectId: string, ref: string): Promise<KnownMetric> {
  return existing(await findKnownMetric(db, projectId, ref), 'metric');
}

async function findOwn(db: Executor, projectId: string, ref: string): Promise<MetricRow> {
  const { row, key } = await find(db, projectId, ref);
  if (row === undefined) throw fail('METRIC_BUILT_IN', { key });
  return row;
}

/** A metric shows telemetry of the whole project. */
export async function requireTelemetry(
  { access }: Pick<MetricDependencies, 'access'>,
  { workspace, project, caller }: Place & Pick<Writer, 'caller'>,
  environment?: string,
): Promise<void> {
  await requireReadable(access, caller, { workspace: workspace.id, project: project.id, environment });
}

export async function check(
  { gateway, clock }: Pick<MetricDependencies, 'gateway' | 'clock'>,
  { workspace, project, signal }: Place & { readonly signal: AbortSignal },
  definition: MetricDefinition,
): Promise<void> {
  const scope = { workspace: workspace.number, project: project.number, environment: undefined };
  await checkMetric(gateway, scope, definition, { nowMs: clock.now(), signal });
}

/** Built-in ones first, then by key. One more than `limit` where there are more. */
export async function list(
  db: Executor,
  projectId: string,
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
      : await listMetrics(db, projectId, {
          search,
          after: isPast ? after : undefined,
          limit: Math.max(1, limit + 1 - found.length),
        });
  return [...found.map((one) => ({ id: one.key, ...one })), ...own.map(knownOf)].slice(0, limit + 1);
}

export async function create(
  parts: MetricDependencies,
  request: Request,
  { key, name, ...definition }: MetricDefinition & { readonly key: string; readonly name: string },
): Promise<KnownMetric> {
  const { project } = request;
  const limit = parts.config.flagMetrics.perProject;
  await requireTelemetry(parts, request);
  const taken = () => fail('KEY_TAKEN', { resource: 'a metric', key });
  if (builtInMetric(key) !== undefined) throw taken();
  await check(parts, request, definition);
  const { workspace_id: _, ...first } = firstVersion(request, parts.clock);
  return writing(parts.db, project.id, async (trx) => {
    if ((await metrics.count(trx, project.id)) >= limit)
      throw fail('LIMIT_REACHED', { limit, resource: 'metrics of a project' });
    if ((await findMetrics(trx, project.id, { ids: [], keys: [key] })).length > 0) throw taken();
    const row = { ...first, project_id: project.id, key, name, definition };
    await metrics.insert(trx, row);
    const entry = { action: 'metrics.create', name: key, after: { key, name, ...definition } };
    await audit(trx, request, 'metric', row, entry, first.created_at);
    return knownOf(existing(await metrics.find(trx, project.id, row.id), 'metric'));
  });
}

/** Throws `STALE_VERSION` unless `version` is the current one. */
export async function replace(
  parts: MetricDependencies,
  request: Request,
  ref: string,
  {
    key,
    version,
    name,
    ...definition
  }: MetricDefinition & { readonly key?: string | undefined; readonly name: string; readonly version: number },
): Promise<KnownMetric> {
  const { project } = request;
  const { id, key: current } = await findOwn(parts.db, project.id, ref);
  await requireTelemetry(parts, request);
  if (key !== undefined && key !== current)
    throw fail('METRIC_INVALID', { reason: 'the key cannot change: create a new metric with another key' });
  await check(parts, request, definition);
  const now = dateOf(parts.clock);
  return writing(parts.db, project.id, async (trx) => {
    const before = existing(await metrics.lock(trx, project.id, id), 'metric');
    refuseStale(version, before.version);
    const states = { before: { name: before.name, ...before.definition }, after: { name, ...definition } };
    if (isUnchanged(states.before, states.after)) return knownOf(before);
    await metrics.update(trx, id, { name, definition }, { by: request.caller.user.id, now });
    await audit(trx, request, 'metric', before, { action: 'metrics.replace', name: before.key, ...states }, now);
    return knownOf(existing(await metrics.find(trx, project.id, id), 'metric'));
  });
}

export async function remove(
  { db, clock }: Pick<MetricDependencies, 'db' | 'clock'>,
  request: Pick<Request, 'workspace' | 'project' | 'origin'>,
  ref: string,
): Promise<undefined> {
  const { project } = request;
  const { id } = await findOwn(db, project.id, ref);
  return writing(db, project.id, async (trx) => {
    const { key, name, definition, ...row } = existing(await metrics.lock(trx, project.id, id), 'metric');
    await metrics.remove(trx, id);
    const entry = { action: 'metrics.remove', name: key, before: { key, name, ...definition } };
    await audit(trx, request, 'metric', row, entry, dateOf(clock));
    return undefined;
  });
}

/** Writes of a project wait for each other, so that its limits hold. */
async function writing<T>(db: Database, projectId: string, work: (trx: Executor) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await lockProject(trx, projectId);
    return work(trx);
  });
}
