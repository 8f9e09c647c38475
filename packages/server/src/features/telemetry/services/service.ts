import type { UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { dateOf } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { isId } from '../../../platform/ids.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import type { ScopedTelemetry } from '../../../platform/scoped-telemetry.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import * as store from './store.ts';
import { findSeenService, listSeenServices, type SeenService, type ServiceScope } from './telemetry-store.ts';

export type ServicesDependencies = FeatureDependencies & { readonly telemetry: ScopedTelemetry };

/** Fields that are left out stay unchanged. */
export type FactsChange = { readonly [K in keyof store.ServiceFacts]?: store.ServiceFacts[K] | undefined };

const noFacts: store.ServiceFacts = {
  display_name: null,
  owner: null,
  team: null,
  runbook_url: null,
  repository_url: null,
  tier: null,
  tags: [],
};

interface Visible extends ServiceScope {
  readonly keys: ReadonlyMap<number, string>;
}

/** Ordered by name; one row more than `limit` if there are more. */
export async function list(
  parts: ServicesDependencies,
  workspace: WorkspaceRef,
  caller: UserCaller,
  filter: { search?: string | undefined; project?: string | undefined; environment?: string | undefined },
  { after, limit }: { after: string | undefined; limit: number },
  signal: AbortSignal,
) {
  const { telemetry, db } = parts;

  const scope = await visible(parts, workspace, caller, filter);
  const options = { search: filter.search, after, limit: limit + 1 };
  const seen = await listSeenServices(telemetry, scope, options, signal);
  const facts = await store.findFacts(
    db,
    workspace.id,
    seen.map(({ name }) => name),
  );
  return seen.map((service) => present(service, facts.get(service.name) ?? noFacts, scope.keys));
}

export async function get(
  parts: ServicesDependencies,
  workspace: WorkspaceRef,
  caller: UserCaller,
  name: string,
  signal: AbortSignal,
) {
  const { db } = parts;

  const scope = await visible(parts, workspace, caller, {});
  const seen = await find(parts, scope, name, signal);
  const facts = await store.findFacts(db, workspace.id, [name]);
  return present(seen, facts.get(name) ?? noFacts, scope.keys);
}

export async function update(
  parts: ServicesDependencies,
  workspace: WorkspaceRef,
  caller: UserCaller,
  name: string,
  change: FactsChange,
  origin: Origin,
  signal: AbortSignal,
) {
  const { clock, db } = parts;

  const scope = await visible(parts, workspace, caller, {});
  const seen = await find(parts, scope, name, signal);
  const now = dateOf(clock);
  const facts = await db.transaction().execute(async (trx) => {
    const before = await store.lockFacts(trx, workspace.id, name, now);
    const after = merge(before, change);
    if (isUnchanged(before, after)) return before;
    await store.updateFacts(trx, workspace.id, name, after, now);
    await recordAudit(
      trx,
      origin,
      {
        workspaceId: workspace.id,
        action: 'services.update',
        resource: { type: 'service', id: name, name: after.display_name ?? name },
        before,
        after,
      },
      now,
    );
    return after;
  });
  return present(seen, facts, scope.keys);
}

/** The projects whose services the caller sees: the live ones, limited to the one it names or is pinned to. */
async function visible(
  { access, db }: ServicesDependencies,
  workspace: WorkspaceRef,
  caller: UserCaller,
  filter: { project?: string | undefined; environment?: string | undefined },
): Promise<Visible> {
  // A key is used unchecked: telemetry can contain environments that the control plane does not know.
  const byId = filter.environment !== undefined && isId(filter.environment) ? filter.environment : undefined;
  const { project, environment } = await access.scope(caller, {
    workspace: workspace.id,
    ...(filter.project !== undefined && { project: filter.project }),
    ...(byId !== undefined && { environment: byId }),
  });
  const wanted = byId === undefined ? filter.environment : environment?.key;
  const rows = await store.listProjectNumbers(db, workspace.id, project?.id);
  const contradiction = environment !== undefined && wanted !== undefined && wanted !== environment.key;
  return {
    workspace: workspace.number,
    projects: contradiction ? [] : rows.map(({ number }) => number),
    environment: environment?.key ?? wanted,
    keys: new Map(rows.map(({ number, key }) => [number, key])),
  };
}

async function find(
  { telemetry }: ServicesDependencies,
  scope: Visible,
  name: string,
  signal: AbortSignal,
): Promise<SeenService> {
  // No service has such a name, and PostgreSQL cannot store the character.
  const seen = name.includes('\0') ? undefined : await findSeenService(telemetry, scope, name, signal);
  if (seen === undefined) throw fail('SERVICE_NOT_FOUND', { name: name.slice(0, 200) });
  return seen;
}

function merge(before: store.ServiceFacts, change: FactsChange): store.ServiceFacts {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const after: store.ServiceFacts = { ...before, ...Object.fromEntries(given) };
  return { ...after, tags: [...new Set(after.tags)] };
}

function present(seen: SeenService, facts: store.ServiceFacts, keys: ReadonlyMap<number, string>) {
  return {
    name: seen.name,
    ...facts,
    first_seen_at: seen.firstSeenAt.toISOString(),
    last_seen_at: seen.lastSeenAt.toISOString(),
    signals: seen.signals,
    projects: seen.projects.flatMap((number) => keys.get(number) ?? []).sort(),
    environments: seen.environments,
  };
}
