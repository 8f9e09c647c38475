import type { Annotation } from '@fanion/contract';
import type { Config } from '../../../config.ts';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { dateOf } from '../../../platform/clock.ts';
import { Failure, fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { parseTime, parseWindow } from '../../../platform/time-window.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { isReadable, readableProjects } from '../../identity/access/index.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { lockWorkspace } from '../../identity/workspaces/index.ts';
import { deployWindowMs, listDeploys, maxVersions } from './deploys.ts';
import * as derived from './derived-store.ts';
import { inOrder, isAfter } from './rules.ts';
import * as store from './store.ts';

const ofFlags: ReadonlySet<Annotation['kind']> = new Set(['flag', 'ramp', 'rollback']);
/** Stands for an id that is after all others of its time. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export type AnnotationDependencies = Pick<FeatureDependencies, 'db' | 'clock' | 'access'> & {
  readonly gateway: Gateway;
  readonly config: Pick<Config, 'annotations'>;
};

/** Where annotations belong. */
export interface Place {
  readonly workspace: WorkspaceRef;
  readonly project: ProjectRef | undefined;
  readonly environment: string | undefined;
}

interface PageAfter {
  readonly after: store.Position | undefined;
  readonly limit: number;
}

export type AnnotationService = ReturnType<typeof createAnnotationService>;

export interface AnnotationQuery {
  readonly from?: string | number | undefined;
  readonly to?: string | number | undefined;
  readonly service?: string | undefined;
  readonly flag?: string | undefined;
  readonly kind?: Annotation['kind'] | undefined;
}

export interface AnnotationInput {
  readonly time: string | number;
  readonly end?: string | number | undefined;
  readonly text: string;
  readonly tags: readonly string[];
  readonly service?: string | undefined;
}

export function createAnnotationService(parts: AnnotationDependencies) {
  return {
    list: (place: Place, caller: UserCaller, query: AnnotationQuery, page: PageAfter, signal: AbortSignal) =>
      list(parts, place, caller, query, page, signal),
    create: (place: Place, caller: UserCaller, input: AnnotationInput, origin: Origin) =>
      create(parts, place, caller, input, origin),
    remove: (workspace: WorkspaceRef, id: string, origin: Origin) => remove(parts, workspace, id, origin),
  };
}

/** One more than `limit` if there are more, latest first, and what was left out. */
async function list(
  parts: AnnotationDependencies,
  place: Place,
  caller: UserCaller,
  query: AnnotationQuery,
  { after, limit }: PageAfter,
  signal: AbortSignal,
): Promise<{ readonly items: readonly Annotation[]; readonly warnings: readonly string[] }> {
  const { db, clock, access } = parts;
  const { fromNs, toNs } = parseWindow(query, clock.now());
  const inRows = after === undefined || isId(after.id) ? after : { time: after.time, id: lastId };
  const slice = {
    from: new Date(Number(fromNs / 1_000_000n)),
    to: new Date(Number(toNs / 1_000_000n)),
    after: inRows,
    limit: limit + 1,
  };
  const { workspace, project, environment } = place;
  const filter = { projectId: project?.id, environment, service: query.service, flag: query.flag };
  const wants = (kind: Annotation['kind']) =>
    (query.kind === undefined || query.kind === kind) && (query.flag === undefined || ofFlags.has(kind));
  const readable = (permission: 'flags:read' | 'alerts:read') =>
    readableProjects(access, db, caller, workspace.id, permission);
  const flagKinds = [
    ...(wants('flag') ? (['targeting', 'flag', 'prerequisites'] as const) : []),
    ...(wants('ramp') ? (['ramp', 'guarded_release', 'experiment'] as const) : []),
  ];
  const [written, changes, rollbacks, alerts, deployed] = await Promise.all([
    wants('manual') ? store.listAnnotations(db, workspace.id, filter, slice) : [],
    flagKinds.length > 0
      ? readable('flags:read').then((of) => derived.listFlagChanges(db, workspace.id, flagKinds, filter, of, slice))
      : [],
    wants('rollback')
      ? readable('flags:read').then((of) => derived.listRollbacks(db, workspace.id, filter, of, slice))
      : [],
    wants('alert')
      ? readable('alerts:read').then((of) => derived.listAlertTransitions(db, workspace.id, filter, of, slice))
      : [],
    wants('deploy') ? deploys(parts, place, caller, query, slice, signal) : { found: [] },
  ]);
  const all = [
    ...written.map(ofPeople),
    ...changes.map(ofFlag),
    ...rollbacks.map(ofRollback),
    ...alerts.map(ofAlert),
    ...deployed.found.filter((one) => isAfter(one, after)),
  ];
  const { warning } = { warning: undefined, ...deployed };
  return { items: all.sort(inOrder).slice(0, limit + 1), warnings: warning === undefined ? [] : [warning] };
}

async function deploys(
  { access, gateway }: AnnotationDependencies,
  { workspace, project, environment }: Place,
  caller: UserCaller,
  { service }: AnnotationQuery,
  { from, to }: Pick<store.Slice, 'from' | 'to'>,
  signal: AbortSignal,
): Promise<{ readonly found: Annotation[]; readonly warning?: string }> {
  const ids = { workspace: workspace.id, project: project?.id, environment: undefined };
  if (!(await isReadable(access, caller, ids))) return { found: [] };
  if (to.getTime() - from.getTime() > deployWindowMs)
    return { found: [], warning: 'deploys are left out: the window is longer than 7 days' };
  const of = { workspace: workspace.number, project: project?.number, environment, key: project?.key ?? null };
  try {
    const window = { fromMs: from.getTime(), toMs: to.getTime() };
    const found = await listDeploys(gateway, of, { ...window, service }, signal);
    if (found !== undefined) return { found };
    return {
      found: [],
      warning: `deploys are left out: services have more than ${maxVersions} versions here; name a service, or a shorter window`,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Failure)) throw error;
    return { found: [], warning: `deploys are left out: ${error.message}` };
  }
}

async function create(
  { db, clock, config }: AnnotationDependencies,
  place: Place,
  caller: UserCaller,
  input: AnnotationInput,
  origin: Origin,
): Promise<Annotation> {
  const { perWorkspace } = config.annotations;
  const now = dateOf(clock);
  const at = (text: string | number, name: string) =>
    new Date(Number(parseTime(text, name, now.getTime()) / 1_000_000n));
  const time = at(input.time, 'time');
  const end = input.end === undefined ? null : at(input.end, 'end');
  if (end !== null && end < time) throw fail('WINDOW_INVALID', { reason: 'end must not be before time' });
  const { workspace, project, environment } = place;
  if (environment !== undefined && project === undefined) {
    const message = 'is of a project: name the project too';
    throw fail('INVALID_INPUT', { reason: `environment: ${message}` }, { details: [{ path: 'environment', message }] });
  }
  const row: store.NewAnnotation = {
    id: newId(now.getTime()),
    workspace_id: workspace.id,
    project_id: project?.id ?? null,
    environment: environment ?? null,
    service: input.service ?? null,
    time,
    end_time: end,
    text: input.text,
    tags: [...new Set(input.tags)],
    created_by: caller.user.id,
    created_by_name: caller.user.name,
    created_at: now,
  };
  await db.transaction().execute(async (trx) => {
    if ((await lockWorkspace(trx, workspace.id)) === undefined) throw fail('NOT_FOUND', { resource: 'workspace' });
    if ((await store.countAnnotations(trx, workspace.id)) >= perWorkspace)
      throw fail('LIMIT_REACHED', { limit: perWorkspace, resource: 'annotations' });
    await store.insertAnnotation(trx, row);
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: workspace.id,
        action: 'annotations.create',
        resource: { type: 'annotation', id: row.id, name: null },
        ...(project && { projectId: project.id }),
        after: { ...shown(row), environment: row.environment },
      },
      now,
    );
  });
  return ofPeople({ ...row, project: project?.key ?? null });
}

async function remove(
  { db, clock }: AnnotationDependencies,
  workspace: WorkspaceRef,
  id: string,
  origin: Origin,
): Promise<void> {
  const now = dateOf(clock);
  await db.transaction().execute(async (trx) => {
    const row = isId(id) ? await store.findAnnotation(trx, workspace.id, id) : undefined;
    if (row === undefined || !(await store.deleteAnnotation(trx, workspace.id, id)))
      throw fail('NOT_FOUND', { resource: 'annotation' });
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: workspace.id,
        action: 'annotations.remove',
        resource: { type: 'annotation', id, name: null },
        ...(row.project_id !== null && { projectId: row.project_id }),
        before: { ...shown(row), environment: row.environment },
      },
      now,
    );
  });
}

function shown({ time, end_time, text, tags, service }: store.NewAnnotation | store.AnnotationRow) {
  return { time: time.toISOString(), end: end_time?.toISOString() ?? null, text, tags, service };
}

const nothing = { end: null, tags: [], service: null, flag: null, alert: null, version: null, author: null };

function ofPeople(row: store.AnnotationRow | (store.NewAnnotation & { readonly project: string | null })): Annotation {
  return {
    ...nothing,
    id: row.id,
    kind: 'manual',
    ...shown(row),
    tags: [...row.tags],
    project: row.project,
    environment: row.environment,
    author: row.created_by_name,
  };
}

type RollbackRow = Awaited<ReturnType<typeof derived.listRollbacks>>[number];

const changed: Readonly<Record<string, string>> = {
  targeting: 'targeting changed',
  flag: 'changed',
  prerequisites: 'prerequisites changed',
  ramp: 'ramp moved',
  guarded_release: 'guarded release moved',
  experiment: 'experiment moved',
};

function ofFlag(row: derived.FlagChangeRow): Annotation {
  const { id, at, kind, flag, project, environment, actor_name: author, comment } = row;
  const what = `${flag}: ${changed[kind] ?? 'changed'}`;
  return {
    ...nothing,
    id,
    kind: kind === 'ramp' || kind === 'guarded_release' || kind === 'experiment' ? 'ramp' : 'flag',
    time: at.toISOString(),
    text: comment === null || comment === '' ? what : `${what}: ${comment}`,
    project,
    environment,
    flag,
    author,
  };
}

function ofRollback({ id, at, reason, flag, project, environment }: RollbackRow): Annotation {
  const text = `${flag}: rolled back: ${reason}`;
  return { ...nothing, id, kind: 'rollback', time: at.toISOString(), text, project, environment, flag };
}

function ofAlert({
  id,
  at,
  state,
  rule,
  rule_id,
  instance_id,
  labels,
  project,
  environment,
}: derived.AlertTransitionRow) {
  return {
    ...nothing,
    id,
    kind: 'alert',
    time: at.toISOString(),
    text: `${rule} ${state === 'firing' ? 'fires' : 'resolved'}`,
    project,
    environment,
    service: labels['service.name'] ?? null,
    alert: { rule_id, instance_id, state },
  } satisfies Annotation;
}
