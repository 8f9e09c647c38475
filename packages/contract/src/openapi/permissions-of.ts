import { type Permission, type PermissionLevel, permissions } from '../permissions.ts';
import type { AnyRoute } from '../route.ts';

/** A permission that a route requires, and where. */
export interface RequiredPermission {
  readonly permission: Permission;
  /** Grants of this level and above it count: a permission of the workspace cannot be granted in a project. */
  readonly level: PermissionLevel;
  /**
   * What names the place: the path; the query or the body, with the whole workspace if they name no place; the resource
   * that the path names; or the API token, which belongs to a project.
   */
  readonly named_by: 'path' | 'query' | 'body' | 'resource' | 'token';
}

const levels: readonly PermissionLevel[] = ['workspace', 'project', 'environment'];

function levelOf(permission: Permission, finest: PermissionLevel): PermissionLevel {
  const { level } = permissions[permission];
  return levels.indexOf(level) < levels.indexOf(finest) ? level : finest;
}

/** The finest place that a path names. */
function levelOfPath({ path }: AnyRoute): PermissionLevel {
  return path.includes('{e}') ? 'environment' : path.includes('{p}') ? 'project' : 'workspace';
}

/** The permissions that a route requires of its caller, the first one before its body is read. */
export function permissionsOf(route: AnyRoute): RequiredPermission[] {
  const { permission, alsoNeeds, auth, scopeIn } = route;
  const place: Pick<RequiredPermission, 'level' | 'named_by'> =
    scopeIn !== undefined
      ? { level: 'environment', named_by: scopeIn }
      : auth === 'ingest'
        ? { level: 'environment', named_by: 'token' }
        : { level: levelOfPath(route), named_by: 'path' };
  const also: typeof place = place.level === 'environment' ? place : { level: 'environment', named_by: 'resource' };
  return [
    ...(permission === undefined ? [] : [{ ...place, permission, level: levelOf(permission, place.level) }]),
    ...(alsoNeeds === undefined ? [] : [{ ...also, permission: alsoNeeds, level: levelOf(alsoNeeds, also.level) }]),
  ].map(({ permission: name, level, named_by }) => ({ permission: name, level, named_by }));
}
