import type { Access, UserCaller } from '../../../http/caller.ts';
import { fail } from '../../../platform/fail.ts';

/**
 * Throws `PERMISSION_DENIED` unless the caller may query the telemetry of a place. Without this, a rule or an SLO would
 * show its author what the author may not read.
 */
export async function requireReadable(
  access: Pick<Access, 'scope'>,
  caller: UserCaller,
  {
    workspace,
    project,
    environment,
  }: {
    readonly workspace: string;
    readonly project: string | undefined;
    readonly environment: string | undefined;
  },
): Promise<void> {
  const { permissionsBelow } = await access.scope(caller, {
    workspace,
    ...(project !== undefined && { project }),
    ...(environment !== undefined && { environment }),
  });
  if (!permissionsBelow.has('telemetry:query')) throw fail('PERMISSION_DENIED', { permission: 'telemetry:query' });
}
