import { isPermission, type Permission, permissions } from '@fanion/contract';

export interface RoleFact {
  readonly id: string;
  /** `owner` … for the built-in ones. */
  readonly key: string | null;
  readonly name: string;
  readonly permissions: readonly string[];
}

/** Who gives a role away or takes one back. */
export interface Giver {
  readonly owner: boolean;
  /** What he holds everywhere in the workspace. */
  readonly permissions: ReadonlySet<string>;
}

/**
 * What a giver lacks to make somebody this: undefined when nothing. Only an owner makes owners, and nobody gives away
 * more than he has. The same is asked for taking a role from somebody, so that nobody unseats those above him.
 */
export function lackingFor(giver: Giver, role: RoleFact): string | undefined {
  if (role.key === 'owner' && !giver.owner) return 'the role owner';
  return role.permissions.filter(isPermission).find((permission) => !giver.permissions.has(permission));
}

export interface PlacedRole {
  readonly projectId: string;
  readonly environmentId: string | null;
  readonly role: RoleFact;
}

export interface PlaceChange {
  readonly projectId: string;
  readonly environmentId: string | null;
  /** The role that counts there from now on. */
  readonly role: RoleFact;
}

/**
 * Where another role counts after grants are replaced. A grant that goes lets the one above it through, so that taking
 * one away can also give.
 */
export function changedPlaces(
  base: RoleFact,
  before: readonly PlacedRole[],
  after: readonly PlacedRole[],
): PlaceChange[] {
  const places = new Map([...before, ...after].map((grant) => [placeKey(grant), grant]));
  return [...places.values()].flatMap(({ projectId, environmentId }) => {
    const was = roleAt(base, before, projectId, environmentId);
    const role = roleAt(base, after, projectId, environmentId);
    return was.id === role.id ? [] : [{ projectId, environmentId, role }];
  });
}

export function placeKey(place: { projectId: string; environmentId: string | null }): string {
  return `${place.projectId}/${place.environmentId ?? ''}`;
}

/** The most specific role counts: the environment's, else the project's, else the workspace's. */
function roleAt(
  base: RoleFact,
  grants: readonly PlacedRole[],
  projectId: string,
  environmentId: string | null,
): RoleFact {
  const there = (id: string | null) =>
    grants.find((grant) => grant.projectId === projectId && grant.environmentId === id)?.role;
  return (environmentId === null ? undefined : there(environmentId)) ?? there(null) ?? base;
}

/** The permissions of a role that a grant can give: what has its effect on the whole workspace never comes from one. */
export function grantable(role: RoleFact): Permission[] {
  return role.permissions.filter(isPermission).filter((permission) => permissions[permission].level !== 'workspace');
}
