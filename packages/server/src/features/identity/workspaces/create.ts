import { type BuiltInRole, builtInRoles } from '@fanion/contract';
import { fail } from '../../../platform/fail.ts';
import { isId, newId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { announceAccessChange } from '../access/index.ts';
import * as store from './store.ts';

/** How many numbered slugs are tried before a random suffix. */
const numberedAttempts = 5;

/**
 * Creates a workspace with its initial contents: the built-in roles, its owner, and a project `default` with the
 * environments `production` and `development`. Runs in the caller's transaction, which also writes the audit entry.
 *
 * A given `slug` that is taken is `KEY_TAKEN`. Without one, it is derived from the name, with a suffix if needed.
 */
export async function createWorkspaceWithDefaults(
  trx: Executor,
  input: { name: string; slug?: string | undefined; ownerUserId: string; now: Date },
): Promise<store.CreatedWorkspace> {
  const { name, ownerUserId, now } = input;
  const workspace =
    input.slug === undefined
      ? await insertWithDerivedSlug(trx, name, now)
      : await insertNamed(trx, { name, slug: input.slug, now });
  // A slug that looks like an id would be looked up as an id and never be found.
  if (workspace === undefined || isId(workspace.slug))
    throw fail('KEY_TAKEN', { resource: 'a workspace', key: input.slug ?? name });
  const roles = await insertBuiltInRoles(trx, workspace.id, now);
  await store.insertOwner(trx, {
    id: newId(now.getTime()),
    workspace_id: workspace.id,
    user_id: ownerUserId,
    role_id: roles.owner,
    created_at: now,
  });
  await createProjectWithDefaults(trx, { workspaceId: workspace.id, key: 'default', name: 'Default', now });
  await announceAccessChange(trx, { workspaceId: workspace.id, userId: ownerUserId });
  return workspace;
}

/** A project with the environments `production` and `development`; undefined when its key is taken. */
export async function createProjectWithDefaults(
  trx: Executor,
  input: { workspaceId: string; key: string; name: string; now: Date },
): Promise<{ id: string; number: number; key: string; name: string; created_at: Date } | undefined> {
  const { workspaceId, key, name, now } = input;
  const project = await store.insertProject(trx, {
    id: newId(now.getTime()),
    workspace_id: workspaceId,
    key,
    name,
    created_at: now,
  });
  if (project === undefined) return undefined;
  const environments = [
    { key: 'production', name: 'Production' },
    { key: 'development', name: 'Development' },
  ];
  await store.insertEnvironments(
    trx,
    environments.map((environment, index) => ({
      id: orderedId(now, index),
      project_id: project.id,
      ...environment,
      requires_approval: false,
      created_at: now,
      deleted_at: null,
    })),
  );
  return project;
}

/**
 * `Ada & Söhne GmbH` → `ada-sohne-gmbh`: a key by the rules of the API, never one that looks like an id. `fallback` is
 * for names without a usable letter.
 */
export function slugOf(name: string, fallback = 'workspace'): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{Mark}+/gu, '')
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48)
    .replace(/-+$/, '');
  return slug === '' || isId(slug) ? fallback : slug;
}

async function insertWithDerivedSlug(
  trx: Executor,
  name: string,
  now: Date,
): Promise<store.CreatedWorkspace | undefined> {
  const base = slugOf(name);
  for (let attempt = 1; attempt <= numberedAttempts; attempt++) {
    const slug = attempt === 1 ? base : `${base}-${attempt}`;
    const workspace = await insertNamed(trx, { name, slug, now });
    if (workspace !== undefined) return workspace;
  }
  return insertNamed(trx, { name, slug: `${base}-${newId(now.getTime()).slice(-12)}`, now });
}

function insertNamed(
  trx: Executor,
  { name, slug, now }: { name: string; slug: string; now: Date },
): Promise<store.CreatedWorkspace | undefined> {
  return store.insertWorkspace(trx, { id: newId(now.getTime()), slug, name, created_at: now });
}

async function insertBuiltInRoles(trx: Executor, workspaceId: string, now: Date): Promise<Record<BuiltInRole, string>> {
  const keys = Object.keys(builtInRoles) as BuiltInRole[];
  const ids = Object.fromEntries(keys.map((key, index) => [key, orderedId(now, index)])) as Record<BuiltInRole, string>;
  await store.insertRoles(
    trx,
    keys.map((key) => ({
      id: ids[key],
      workspace_id: workspaceId,
      key,
      name: builtInRoles[key].name,
      description: '',
      permissions: [...builtInRoles[key].permissions],
      created_at: now,
      updated_at: now,
    })),
  );
  return ids;
}

/** Ids of rows that are created together, a millisecond apart, so that lists show them in this order. */
function orderedId(now: Date, index: number): string {
  return newId(now.getTime() + index);
}
