import { isPermission, type Permission, permissions } from '@fanion/contract';

export interface GrantFact {
  readonly projectId: string;
  readonly environmentId: string | null;
  readonly permissions: readonly string[];
}
export interface MembershipFact {
  readonly permissions: readonly string[];
  readonly grants: readonly GrantFact[];
}
export interface Place {
  readonly projectId: string | undefined;
  readonly environmentId: string | undefined;
}

function known(names: readonly string[]): Set<Permission> {
  return new Set(names.filter(isPermission));
}

/**
 * A member's permissions at a place. The most specific role counts: the environment's grant, else the project's, else
 * the workspace role. A grant never gives what has its effect on the whole workspace.
 */
export function permissionsAt(membership: MembershipFact, place: Place): Set<Permission> {
  const base = known(membership.permissions);
  const grant =
    membership.grants.find(
      (g) => g.projectId === place.projectId && g.environmentId !== null && g.environmentId === place.environmentId,
    ) ?? membership.grants.find((g) => g.projectId === place.projectId && g.environmentId === null);
  if (grant === undefined || place.projectId === undefined) return base;
  const granted = known(grant.permissions);
  const result = new Set<Permission>();
  for (const permission of new Set([...base, ...granted])) {
    const source = permissions[permission].level === 'workspace' ? base : granted;
    if (source.has(permission)) result.add(permission);
  }
  return result;
}

/** What holds at a place and everywhere below it: no grant there takes it away. */
export function permissionsBelow(membership: MembershipFact, place: Place): Set<Permission> {
  const result = permissionsAt(membership, place);
  for (const grant of membership.grants) {
    const below =
      place.projectId === undefined ||
      (grant.projectId === place.projectId &&
        (place.environmentId === undefined || grant.environmentId === place.environmentId));
    if (!below) continue;
    const there = permissionsAt(membership, {
      projectId: grant.projectId,
      environmentId: grant.environmentId ?? undefined,
    });
    for (const permission of result) if (!there.has(permission)) result.delete(permission);
  }
  return result;
}

export function intersect(held: ReadonlySet<Permission>, allowed: ReadonlySet<Permission>): Set<Permission> {
  return new Set([...held].filter((permission) => allowed.has(permission)));
}

/** What of `wanted` the giver does not hold; nobody gives away more than that. */
export function missingFrom(held: ReadonlySet<Permission>, wanted: readonly Permission[]): Permission | undefined {
  return wanted.find((permission) => !held.has(permission));
}
