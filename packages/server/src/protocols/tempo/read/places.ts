import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';

/** Whose telemetry a request reads. */
export interface Place {
  readonly workspace: WorkspaceRef;
  readonly narrowed: { readonly project: ProjectRef | undefined; readonly environment: string | undefined };
  readonly caller: UserCaller;
  readonly signal: AbortSignal;
}
