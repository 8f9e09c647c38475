import type { ExperimentDefinition, ExperimentDraft, ExperimentMetrics } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import type { UserCaller } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { refuseStale } from '../../../platform/refuse-stale.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import {
  findEnvironment,
  findFlag,
  listEnvironments,
  lockProject,
  type Place,
  refuse,
} from '../../flags/flags/index.ts';
import { requireReadable } from '../../identity/access/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { checkDefinition } from './definition-rules.ts';
import { frozenMetrics, knownFor } from './start-change.ts';
import * as store from './store.ts';

export type ExperimentInput = Omit<ExperimentDraft, 'key'>;

export interface ServiceDependencies extends FeatureDependencies {
  readonly config: Pick<Config, 'experiments'>;
}

/** Who changes an experiment. */
export interface Actor {
  readonly caller: UserCaller;
  readonly origin: Origin;
}

/** By id or key. Throws `NOT_FOUND`. */
export async function find(
  { db }: ServiceDependencies,
  projectId: string,
  ref: string,
  executor: Executor = db,
): Promise<store.ExperimentRow> {
  const row = isId(ref)
    ? await store.experiments.find(executor, projectId, ref)
    : await store.findExperimentByKey(executor, projectId, ref);
  if (row === undefined) throw fail('NOT_FOUND', { resource: 'experiment' });
  return row;
}

export async function hasEnvironment(executor: Executor, projectId: string, environmentId: string): Promise<boolean> {
  return (await listEnvironments(executor, projectId)).some(({ id }) => id === environmentId);
}

export async function write<T>(
  { db, clock }: ServiceDependencies,
  projectId: string,
  work: (trx: Executor, now: Date) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await lockProject(trx, projectId);
    return work(trx, dateOf(clock));
  });
}

export async function audit(
  trx: Executor,
  origin: Origin,
  { workspace, project }: Place,
  row: Pick<store.ExperimentRow, 'id' | 'key' | 'environment_id'>,
  entry: { readonly action: string; readonly before?: object; readonly after?: object },
  now: Date,
): Promise<void> {
  await recordAudit(
    trx,
    origin,
    {
      workspaceId: workspace.id,
      resource: { type: 'experiment', id: row.id, name: row.key },
      projectId: project.id,
      environmentId: row.environment_id,
      ...entry,
    },
    now,
  );
}

export function changeStatus({ db }: ServiceDependencies, id: string) {
  return store.findChangeStatus(db, id);
}

/** Throws unless the caller may read the telemetry that the results are made of. */
export async function requireTelemetry(
  { access }: ServiceDependencies,
  { workspace, project }: Place,
  caller: UserCaller,
  environment: string | undefined,
): Promise<void> {
  await requireReadable(access, caller, { workspace: workspace.id, project: project.id, environment });
}

/** Throws unless the caller may change what the flag serves in the environment, or in the project if it was removed. */
export async function requireFlags(
  { db, access }: ServiceDependencies,
  { workspace, project }: Place,
  caller: UserCaller,
  environmentId: string,
): Promise<void> {
  const isThere = await hasEnvironment(db, project.id, environmentId);
  const { permissions } = await access.scope(caller, {
    workspace: workspace.id,
    project: project.id,
    ...(isThere && { environment: environmentId }),
  });
  if (!permissions.has('flags:write')) throw fail('PERMISSION_DENIED', { permission: 'flags:write' });
}

export async function create(
  parts: ServiceDependencies,
  place: Place,
  caller: UserCaller,
  { key, ...input }: ExperimentDraft,
  origin: Origin,
) {
  const { config } = parts;
  const { perProject } = config.experiments;

  const { project } = place;
  return write(parts, project.id, async (trx, now) => {
    const values = await checked(trx, project.id, input);
    if ((await store.experiments.count(trx, project.id)) >= perProject)
      throw fail('LIMIT_REACHED', { limit: perProject, resource: 'experiments of a project' });
    if ((await store.findExperimentByKey(trx, project.id, key)) !== undefined)
      throw fail('KEY_TAKEN', { resource: 'an experiment', key });
    const id = newId(now.getTime());
    const by = caller.user.id;
    const signed = { created_by: by, created_at: now, updated_by: by, updated_at: now };
    const created = { id, project_id: project.id, key, state: 'draft' as const, ...signed, ...values };
    await store.experiments.insert(trx, created);
    const row = await find(parts, project.id, id, trx);
    await audit(trx, origin, place, row, { action: 'experiments.create', after: told(row) }, now);
    return row;
  });
}

/** Throws `EXPERIMENT_STATE` unless it is a draft, and `STALE_VERSION`. */
export async function replace(
  parts: ServiceDependencies,
  place: Place,
  ref: string,
  { key, version, ...input }: ExperimentInput & { readonly key?: string | undefined; readonly version: number },
  { caller, origin }: Actor,
) {
  const { project } = place;
  return write(parts, project.id, async (trx, now) => {
    const before = await find(parts, project.id, ref, trx);
    if (key !== undefined && key !== before.key)
      throw fail('EXPERIMENT_INVALID', {
        reason: 'the key cannot change: create a new experiment with another key',
      });
    if (before.state !== 'draft')
      throw fail('EXPERIMENT_STATE', { state: before.state, advice: 'only a draft can be replaced' });
    refuseStale(version, before.version);
    const values = await checked(trx, project.id, input);
    if (isUnchanged(told({ ...before, ...values }), told(before))) return before;
    await store.experiments.update(trx, before.id, values, { by: caller.user.id, now });
    const row = await find(parts, project.id, before.id, trx);
    await audit(
      trx,
      origin,
      place,
      row,
      { action: 'experiments.replace', before: told(before), after: told(row) },
      now,
    );
    return row;
  });
}

export async function remove(parts: ServiceDependencies, place: Place, ref: string, origin: Origin): Promise<void> {
  await write(parts, place.project.id, async (trx, now) => {
    const row = await find(parts, place.project.id, ref, trx);
    if (row.state === 'running') throw fail('EXPERIMENT_STATE', { state: row.state, advice: 'stop it first' });
    await store.experiments.remove(trx, row.id);
    await audit(trx, origin, place, row, { action: 'experiments.remove', before: told(row) }, now);
  });
}

/**
 * In a draft all metrics can change. The goals of a running experiment stay, since choosing them by their results would make
 * its error rates wrong; other metrics can be added and removed, and are measured from the start.
 */
export async function replaceMetrics(
  parts: ServiceDependencies,
  place: Place,
  ref: string,
  { version, metrics }: { readonly version: number; readonly metrics: ExperimentMetrics },
  { caller, origin }: Actor,
) {
  const { project } = place;
  return write(parts, project.id, async (trx, now) => {
    const before = await find(parts, project.id, ref, trx);
    if (before.state !== 'draft' && before.state !== 'running')
      throw fail('EXPERIMENT_STATE', { state: before.state, advice: 'its metrics cannot change any more' });
    refuseStale(version, before.version);
    const after = await byId(trx, project.id, { metrics });
    const definition: ExperimentDefinition = { ...before.definition, metrics: after };
    const variants = definition.variants.map(({ variant }) => ({ key: variant }));
    refuse('EXPERIMENT_INVALID', checkDefinition(definition, await knownFor(trx, project.id, { variants })));
    if (isUnchanged(before.definition.metrics, after)) return { ...after, version: before.version };
    if (before.frozen !== null && after.goals.join() !== before.definition.metrics.goals.join())
      throw fail('EXPERIMENT_STATE', { state: before.state, advice: 'its goals cannot change any more' });
    const kept = new Map(before.frozen?.metrics.map((metric) => [metric.id, metric]));
    const frozen = before.frozen && {
      seed: before.frozen.seed,
      metrics: (await frozenMetrics(trx, project.id, definition)).map((metric) => ({
        ...metric,
        definition: kept.get(metric.id)?.definition ?? metric.definition,
      })),
    };
    const changed = { definition, ...(frozen && { frozen }) };
    await store.experiments.update(trx, before.id, changed, { by: caller.user.id, now });
    const row = await find(parts, project.id, before.id, trx);
    await audit(
      trx,
      origin,
      place,
      row,
      { action: 'experiments.replace_metrics', before: before.definition.metrics, after },
      now,
    );
    return { ...row.definition.metrics, version: row.version };
  });
}

/** What is stored of an input, checked: the place by id, the metrics by id. */
async function checked(trx: Executor, projectId: string, input: ExperimentInput) {
  const { name, flag: flagKey, environment: place, ...rest } = input;
  const flag = await findFlag(trx, projectId, flagKey);
  if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key: flagKey });
  const environment = await findEnvironment(trx, projectId, place);
  if (environment === undefined) throw fail('NOT_FOUND', { resource: 'environment' });
  const known = await knownFor(trx, projectId, flag);
  refuse('EXPERIMENT_INVALID', checkDefinition(rest, known));
  const metrics = await byId(trx, projectId, rest);
  const definition: ExperimentDefinition = { ...rest, metrics };
  refuse('EXPERIMENT_INVALID', checkDefinition(definition, known));
  return {
    name,
    flag_id: flag.id,
    flag: flag.key,
    environment_id: environment.id,
    environment: environment.key,
    definition,
  };
}

async function byId(
  trx: Executor,
  projectId: string,
  input: Pick<ExperimentDefinition, 'metrics'>,
): Promise<ExperimentMetrics> {
  const found = await frozenMetrics(trx, projectId, input);
  const of = (role: string) => found.filter((metric) => metric.role === role).map(({ id }) => id);
  return { goals: of('goal'), secondary: of('secondary'), guardrails: of('guardrail') };
}

/** For the audit log. */
function told({ key, name, flag, environment, state, definition }: store.ExperimentRow) {
  return { key, name, flag, environment, state, ...definition };
}
