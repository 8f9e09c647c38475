import { fail } from '../../platform/fail.ts';

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
