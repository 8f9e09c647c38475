import { sql } from 'kysely';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { PlaceFilter, Slice } from './store.ts';

type FlagFilter = PlaceFilter & { readonly flag: string | undefined };

export interface FlagChangeRow {
  readonly id: string;
  readonly at: Date;
  readonly kind: string;
  readonly flag: string;
  readonly project: string;
  readonly environment: string | null;
  readonly actor_name: string;
  readonly comment: string | null;
}

/** Changes of what flags serve, latest first. @param projectIds those that the caller may read; undefined: all */
export async function listFlagChanges(
  db: Executor,
  workspaceId: string,
  kinds: readonly ('targeting' | 'flag' | 'prerequisites' | 'ramp' | 'guarded_release' | 'experiment')[],
  { projectId, environment, flag }: FlagFilter,
  projectIds: readonly string[] | undefined,
  { from, to, after, limit }: Slice,
): Promise<FlagChangeRow[]> {
  if (projectIds?.length === 0) return [];
  let query = db
    .selectFrom('flag_history as h')
    .innerJoin('flags as f', 'f.id', 'h.flag_id')
    .innerJoin('projects as p', 'p.id', 'f.project_id')
    .leftJoin('environments as e', 'e.id', 'h.environment_id')
    .select(['h.id', 'h.at', 'h.kind', 'f.key as flag', 'p.key as project', 'e.key as environment'])
    .select(['h.actor_name', 'h.comment'])
    .where('p.workspace_id', '=', workspaceId)
    .where('p.deleted_at', 'is', null)
    .where((eb) => eb.or([eb('h.environment_id', 'is', null), eb('e.deleted_at', 'is', null)]))
    .where('h.kind', 'in', [...kinds])
    .where('h.at', '>=', from)
    .where('h.at', '<', to)
    .orderBy('h.at', 'desc')
    .orderBy('h.id', 'desc')
    .limit(limit);
  if (projectIds !== undefined) query = query.where('p.id', 'in', [...projectIds]);
  if (projectId !== undefined) query = query.where('p.id', '=', projectId);
  if (flag !== undefined) query = query.where('f.key', '=', flag);
  if (environment !== undefined)
    query = query.where((eb) => eb.or([eb('h.environment_id', 'is', null), eb('e.key', '=', environment)]));
  if (after !== undefined) query = query.where(sql<boolean>`(h.at, h.id) < (${after.time}, ${after.id}::uuid)`);
  return query.execute();
}

export interface AlertTransitionRow {
  readonly id: string;
  readonly at: Date;
  readonly state: string;
  readonly rule: string;
  readonly rule_id: string;
  readonly instance_id: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly project: string;
  readonly environment: string | null;
}

/** Alerts that began or stopped to fire, latest first. @param projectIds those that the caller may read; undefined: all */
export async function listAlertTransitions(
  db: Executor,
  workspaceId: string,
  { projectId, environment, service }: PlaceFilter & { readonly service: string | undefined },
  projectIds: readonly string[] | undefined,
  { from, to, after, limit }: Slice,
): Promise<AlertTransitionRow[]> {
  if (projectIds?.length === 0) return [];
  let query = db
    .selectFrom('alert_transitions as t')
    .innerJoin('alert_rules as r', 'r.id', 't.rule_id')
    .innerJoin('alert_instances as i', 'i.id', 't.instance_id')
    .innerJoin('projects as p', 'p.id', 'r.project_id')
    .select(['t.id', 't.at', 't.to_state as state', 'r.name as rule', 'r.id as rule_id', 'i.id as instance_id'])
    .select(['i.labels', 'p.key as project', 'r.environment'])
    .where('t.workspace_id', '=', workspaceId)
    .where('p.deleted_at', 'is', null)
    .where('t.to_state', 'in', ['firing', 'resolved'])
    .where('t.at', '>=', from)
    .where('t.at', '<', to)
    .orderBy('t.at', 'desc')
    .orderBy('t.id', 'desc')
    .limit(limit);
  if (projectIds !== undefined) query = query.where('p.id', 'in', [...projectIds]);
  if (projectId !== undefined) query = query.where('p.id', '=', projectId);
  if (environment !== undefined)
    query = query.where((eb) => eb.or([eb('r.environment', 'is', null), eb('r.environment', '=', environment)]));
  if (service !== undefined)
    query = query.where(sql<boolean>`coalesce(i.labels ->> 'service.name', ${service}) = ${service}`);
  if (after !== undefined) query = query.where(sql<boolean>`(t.at, t.id) < (${after.time}, ${after.id}::uuid)`);
  return query.execute();
}

/** Guarded releases that were rolled back, latest first. @param projectIds those that the caller may read; undefined: all */
export async function listRollbacks(
  db: Executor,
  workspaceId: string,
  { projectId, environment, flag }: FlagFilter,
  projectIds: readonly string[] | undefined,
  { from, to, after, limit }: Slice,
) {
  if (projectIds?.length === 0) return [];
  let query = db
    .selectFrom('guarded_release_events as v')
    .innerJoin('guarded_releases as g', 'g.id', 'v.release_id')
    .innerJoin('flags as f', 'f.id', 'g.flag_id')
    .innerJoin('projects as p', 'p.id', 'f.project_id')
    .innerJoin('environments as e', 'e.id', 'g.environment_id')
    .select(['v.id', 'v.at', 'v.reason', 'f.key as flag', 'p.key as project', 'e.key as environment'])
    .where('p.workspace_id', '=', workspaceId)
    .where('p.deleted_at', 'is', null)
    .where('e.deleted_at', 'is', null)
    .where('v.kind', '=', 'rolled_back')
    .where('v.at', '>=', from)
    .where('v.at', '<', to)
    .orderBy('v.at', 'desc')
    .orderBy('v.id', 'desc')
    .limit(limit);
  if (projectIds !== undefined) query = query.where('p.id', 'in', [...projectIds]);
  if (projectId !== undefined) query = query.where('p.id', '=', projectId);
  if (flag !== undefined) query = query.where('f.key', '=', flag);
  if (environment !== undefined) query = query.where('e.key', '=', environment);
  if (after !== undefined) query = query.where(sql<boolean>`(v.at, v.id) < (${after.time}, ${after.id}::uuid)`);
  return query.execute();
}
