import { isPermission, type Permission, permissions } from '@fanion/contract';

export interface RoleFact {
  readonly id: string;
  /** `owner` … for the built-in roles. */
  readonly key: string | null;
  readonly name: string;
  readonly permissions: readonly string[];
}

/** A person who gives a role or takes one away. */
export interface Giver {
  readonly owner: boolean;
  /** The permissions that they hold everywhere in the workspace. */
  readonly permissions: ReadonlySet<string>;
}

/**
 * The permission that a giver lacks to give this role; undefined when none. Only an owner makes owners, and nobody
 * gives more than they have. Taking a role away needs the same, so that nobody removes a person with more permissions.
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
  /** The role that applies there from now on. */
  readonly role: RoleFact;
}

/**
 * Where another role applies after grants are replaced. Without a grant the broader one applies, so that removing a
 * grant can also give permissions.
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

/** The most specific role applies: the environment's, else the project's, else the workspace's. */
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

/** The permissions of a role that a grant can give: never those that affect the whole workspace. */
export function grantable(role: RoleFact): Permission[] {
  return role.permissions.filter(isPermission).filter((permission) => permissions[permission].level !== 'workspace');
}
