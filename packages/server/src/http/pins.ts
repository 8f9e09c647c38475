import type { Permission } from '@fanion/contract';
import { fail } from '../platform/fail.ts';
import type { UserCaller } from './caller.ts';

/** The project or environment that a caller is limited to; undefined: the whole workspace. */
export interface Pin {
  readonly projectId: string;
  readonly environmentId: string | null;
}

export function pinOf(caller: UserCaller): Pin | undefined {
  if (caller.kind !== 'token' || caller.projectId === null) return undefined;
  return { projectId: caller.projectId, environmentId: caller.environmentId };
}

/** Rejects a pinned token where the action affects more than its pin, such as creating a project. */
export function refusePinned(caller: UserCaller, permission: Permission): void {
  if (pinOf(caller) !== undefined) throw fail('PERMISSION_DENIED', { permission });
}

/** Rejects a token pinned to an environment where the action changes the whole project. */
export function refuseEnvironmentPin(caller: UserCaller, permission: Permission): void {
  if (pinOf(caller)?.environmentId != null) throw fail('PERMISSION_DENIED', { permission });
}
