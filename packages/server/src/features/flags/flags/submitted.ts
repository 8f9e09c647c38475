import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import { accepted, type Origin } from '../../../http/context.ts';
import type { Submitted } from '../../change-kind.ts';

interface ChangeBody {
  readonly version?: number | undefined;
  readonly comment?: string | undefined;
  readonly bypass_approval?: boolean | undefined;
}
interface ChangingRequest<Body> {
  readonly workspace: WorkspaceRef;
  readonly project: ProjectRef;
  readonly caller: UserCaller;
  readonly origin: Origin;
  readonly body: Body;
}

/** A submission by a request; its payload is the body without the fields that all such requests have. */
export function submissionOf<Body extends ChangeBody>(request: ChangingRequest<Body>) {
  const { workspace, project, caller, origin, body } = request;
  const { version, comment, bypass_approval: bypassApproval, ...payload } = body;
  return { place: { workspace, project }, caller, origin, payload, version, comment, bypassApproval };
}

/** 202 with the change if it waits for approval, else its result as `present` shows it. */
export async function presentSubmitted<Result, Shown>(
  submitted: Submitted<Result>,
  present: (result: Result) => Shown | Promise<Shown>,
) {
  return submitted.status === 'waiting' ? accepted(submitted.change) : present(submitted.result);
}
