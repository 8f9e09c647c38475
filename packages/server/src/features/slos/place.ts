import type { Access, UserCaller } from '../../http/caller.ts';
import { fail } from '../../platform/fail.ts';

/** Whoever writes an SLO or a recording rule must be allowed to read what it reads, or it would tell him. */
export async function requireReadable(
  access: Pick<Access, 'scope'>,
  caller: UserCaller,
  { workspace, project, environment }: { workspace: string; project: string; environment: string | undefined },
): Promise<void> {
  const scope = await access.scope(caller, { workspace, project, ...(environment !== undefined && { environment }) });
  if (!scope.permissionsBelow.has('telemetry:query'))
    throw fail('PERMISSION_DENIED', { permission: 'telemetry:query' });
}

/** What is written may repeat the place that is read, and never change it: what was counted there would be lost. */
export function requireSamePlace(
  current: { readonly project_id: string; readonly project: string; readonly environment: string | null },
  given: { readonly project?: string | undefined; readonly environment?: string | null | undefined },
  error: 'SLO_INVALID' | 'RECORDING_RULE_INVALID',
): void {
  const { project, environment } = given;
  const refuse = (path: string, message: string) => fail(error, { reason: message }, { details: [{ path, message }] });
  if (project !== undefined && project !== current.project_id && project !== current.project)
    throw refuse('project', 'the project cannot change: create a new one there');
  if (environment !== undefined && environment !== current.environment)
    throw refuse('environment', 'the environment cannot change: create a new one there');
}
