import type { Access, UserCaller } from '../../../http/caller.ts';
import { fail } from '../../../platform/fail.ts';

interface Place {
  readonly workspace: string;
  readonly project: string | undefined;
  readonly environment: string | undefined;
}

/** Whether the caller may query the telemetry of a place. */
export async function isReadable(
  access: Pick<Access, 'scope'>,
  caller: UserCaller,
  { workspace, project, environment }: Place,
): Promise<boolean> {
  const { permissionsBelow } = await access.scope(caller, {
    workspace,
    ...(project !== undefined && { project }),
    ...(environment !== undefined && { environment }),
  });
  return permissionsBelow.has('telemetry:query');
}

/**
 * Throws `PERMISSION_DENIED` unless the caller may query the telemetry of a place. Without this, a rule or an SLO would
 * show its author what the author may not read.
 */
export async function requireReadable(access: Pick<Access, 'scope'>, caller: UserCaller, place: Place): Promise<void> {
  if (!(await isReadable(access, caller, place))) throw fail('PERMISSION_DENIED', { permission: 'telemetry:query' });
}
