import type { Permission } from '@fanion/contract';
import type {
  EnvironmentRef,
  Outage,
  ProjectRef,
  Scope,
  ScopeNames,
  TokenCaller,
  UserCaller,
} from '../../../http/caller.ts';
import { type Failure, fail } from '../../../platform/fail.ts';
import { isId } from '../../../platform/ids.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { AccessChange } from './changes.ts';
import type { Facts, Memory } from './remembered.ts';
import { type GrantFact, intersect, permissionsAt, permissionsBelow } from './rules.ts';
import * as store from './store.ts';

const maxKept = 10_000;
/** Names come from the client. Longer ones are looked up, and found nowhere. */
const longestName = 200;

interface Memberships {
  readonly userId: string;
  readonly rows: readonly store.MembershipRow[];
  /** Of the only membership. */
  readonly grants: readonly GrantFact[];
}

interface Places {
  readonly workspaceId: string;
  readonly project?: ProjectRef | undefined;
  readonly environment?: EnvironmentRef | undefined;
}

/** Where a caller is, and what they may do there. */
export function createScopes({ db, memory }: { db: Database; memory: Memory }) {
  const memberships = memory.facts<Memberships>(maxKept);
  const places = memory.facts<Places>(maxKept);

  async function scope(caller: UserCaller, names: ScopeNames, outage?: Outage): Promise<Scope> {
    const wanted = names.workspace ?? (caller.kind === 'token' ? caller.workspaceId : undefined);
    const { rows, grants } = await membershipsOf({ db, memberships }, caller.user.id, wanted, outage);
    const [membership] = rows;
    if (membership === undefined || (caller.kind === 'token' && membership.workspace.id !== caller.workspaceId))
      throw fail('NOT_FOUND', { resource: 'workspace' });
    if (rows.length > 1) throw workspaceRequired(rows);
    const { workspace } = membership;
    const pinned = caller.kind === 'token' ? caller : undefined;
    const { project, environment } = await placesOf(workspace.id, names, pinned, outage);
    const fact = { permissions: membership.permissions, grants };
    const here = { projectId: project?.id, environmentId: environment?.id };
    const at = permissionsAt(fact, here);
    const below = permissionsBelow(fact, here);
    const limit = (held: ReadonlySet<Permission>) =>
      caller.kind === 'token' ? intersect(held, caller.permissions) : held;
    return { workspace, project, environment, permissions: limit(at), permissionsBelow: limit(below) };
  }

  async function placesOf(
    workspaceId: string,
    names: ScopeNames,
    pinned: TokenCaller | undefined,
    outage: Outage | undefined,
  ): Promise<Places> {
    const ask = async () => ({ workspaceId, ...(await findPlaces(db, workspaceId, names, pinned)) });
    const { project, environment } = names;
    if (project === undefined && environment === undefined && pinned === undefined) return { workspaceId };
    if (isLong(project) || isLong(environment)) return ask();
    const key = keyOf(workspaceId, project, environment, pinned?.projectId, pinned?.environmentId);
    return (await places.find(key, ask, outage)) ?? ask();
  }

  function forget({ workspaceId, userId }: AccessChange): void {
    memberships.forget((known) =>
      userId === undefined
        ? workspaceId === undefined || known.rows.some(({ workspace }) => workspace.id === workspaceId)
        : known.userId === userId,
    );
    places.forget((known) => workspaceId === undefined || known.workspaceId === workspaceId);
  }

  return { scope, forget };
}

async function membershipsOf(
  { db, memberships }: { readonly db: Database; readonly memberships: Facts<Memberships> },
  userId: string,
  workspace: string | undefined,
  outage: Outage | undefined,
): Promise<Memberships> {
  const ask = async () => {
    const rows = await store.findMemberships(db, userId, workspace);
    const [only] = rows;
    const grants = only === undefined || rows.length > 1 ? [] : await store.findGrants(db, only.memberId);
    return { userId, rows, grants };
  };
  if (isLong(workspace)) return ask();
  // Who is no member may become one any moment, by an invitation that is accepted on another replica.
  const isMember = async () => {
    const found = await ask();
    return found.rows.length === 0 ? undefined : found;
  };
  return (await memberships.find(keyOf(userId, workspace), isMember, outage)) ?? { userId, rows: [], grants: [] };
}

/** Throws `NOT_FOUND`, which is not remembered. */
async function findPlaces(
  db: Database,
  workspaceId: string,
  names: ScopeNames,
  pinned: TokenCaller | undefined,
): Promise<Omit<Places, 'workspaceId'>> {
  const project = await place('project', names.project, pinned?.projectId, (name) =>
    store.findProject(db, workspaceId, name),
  );
  if (project !== undefined) {
    const environment = await place('environment', names.environment, pinned?.environmentId, (name) =>
      store.findEnvironment(db, project.id, name),
    );
    return { project, environment };
  }
  // A key means the environments of that key in all projects. An id belongs to one project.
  if (names.environment === undefined || !isId(names.environment)) return {};
  const found = await store.findEnvironmentOfWorkspace(db, workspaceId, names.environment);
  if (found === undefined) throw fail('NOT_FOUND', { resource: 'environment' });
  return found;
}

/** Ids come first, and no text can be taken for another list of texts. */
function keyOf(...parts: readonly (string | null | undefined)[]): string {
  return JSON.stringify(parts.map((part) => part ?? null));
}

function isLong(name: string | undefined): boolean {
  return name !== undefined && name.length > longestName;
}

/** Names what there is to choose from; `findMemberships` gives some more than are shown. */
function workspaceRequired(memberships: readonly store.MembershipRow[]): Failure {
  const shown = memberships.slice(0, store.maxMembershipsNamed);
  const slugs = shown.map(({ workspace }) => workspace.slug).join(', ');
  return fail(
    'WORKSPACE_REQUIRED',
    { workspaces: memberships.length > shown.length ? `${slugs}, …` : slugs },
    {
      details: shown.map(({ workspace: { id, slug, name } }) => ({
        path: 'workspace',
        message: `${slug}: ${name}`,
        id,
        slug,
      })),
    },
  );
}

/** A place by name, held against the one a token is pinned to: any other is as if it did not exist. */
async function place<Ref extends ProjectRef | EnvironmentRef>(
  resource: string,
  name: string | undefined,
  pinnedId: string | null | undefined,
  find: (name: string) => Promise<Ref | undefined>,
): Promise<Ref | undefined> {
  const wanted = name ?? pinnedId ?? undefined;
  if (wanted === undefined) return undefined;
  const found = await find(wanted);
  if (found === undefined || (pinnedId != null && found.id !== pinnedId)) throw fail('NOT_FOUND', { resource });
  return found;
}
