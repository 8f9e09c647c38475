import type { Permission } from '@fanion/contract';
import { fail } from '../platform/fail.ts';
import type { UserCaller } from './caller.ts';

/** The only place that a caller may see; undefined: all of its workspace. */
export interface Pin {
  readonly projectId: string;
  readonly environmentId: string | null;
}

export function pinOf(caller: UserCaller): Pin | undefined {
  if (caller.kind !== 'token' || caller.projectId === null) return undefined;
  return { projectId: caller.projectId, environmentId: caller.environmentId };
}

/** What reaches beyond any pin, such as making a project, is not for a token that has one. */
export function refusePinned(caller: UserCaller, permission: Permission): void {
  if (pinOf(caller) !== undefined) throw fail('PERMISSION_DENIED', { permission });
}

/** The same for a token that is pinned to an environment, where a whole project would change. */
export function refuseEnvironmentPin(caller: UserCaller, permission: Permission): void {
  if (pinOf(caller)?.environmentId != null) throw fail('PERMISSION_DENIED', { permission });
}
