import type { UserCaller } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { withCurrentState } from '../../../http/stale.ts';
import { Failure, fail } from '../../../platform/fail.ts';
import { isId } from '../../../platform/ids.ts';
import type { Changes, Place, Submission, Submitted } from '../../change-kind.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { type FlagPatch, flagChange } from './flag-update.ts';
import { findHistory, presentHistory } from './history-store.ts';
import { type PrerequisitesPatch, prerequisitesChange } from './prerequisites.ts';
import { presentTargeting } from './present.ts';
import type { TargetingConfig } from './rules.ts';
import { withLayout } from './serve.ts';
import * as store from './store.ts';
import { targetingChange } from './targeting-change.ts';

type RestoreDependencies = FeatureDependencies & { readonly changes: Changes };

/** Restores the state after an entry of the history. It is a change like any other, with its checks and approvals. */
export function createRestore(parts: RestoreDependencies) {
  const { db } = parts;
  return async function restore(
    place: Place,
    caller: UserCaller,
    key: string,
    entryId: string,
    input: {
      readonly version?: number | undefined;
      readonly comment?: string | undefined;
      readonly bypass_approval?: boolean | undefined;
    },
    origin: Origin,
  ) {
    const flag = await store.findFlag(db, place.project.id, key);
    if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
    const entry = isId(entryId) ? await findHistory(db, flag.id, entryId) : undefined;
    if (entry === undefined || !entry.restorable) throw fail('CHANGE_NOT_FOUND', { id: entryId });
    const request = {
      place,
      caller,
      origin,
      action: 'flags.restore',
      version: input.version,
      // The version that pages show.
      comment: input.comment ?? `restored version ${entry.flag_version ?? entry.version}`,
      bypassApproval: input.bypass_approval,
    };
    const there = { id: entry.environment_id ?? '', key: entry.environment ?? '' };
    const submitted = await submit(parts, request, key, entry).catch(async (error: unknown) => {
      if (!(error instanceof Failure && error.error === 'STALE_VERSION') || there.id === '') throw error;
      throw await withCurrentState(error, () => targetingOf(parts, place, caller, flag, there));
    });
    if (submitted.status === 'waiting') return submitted;
    // Where its state is the current one, nothing was written.
    const id = submitted.result.historyId ?? entryId;
    const written = await findHistory(db, flag.id, id);
    if (written === undefined) throw fail('CHANGE_NOT_FOUND', { id });
    return { status: 'applied', result: presentHistory(written) } as const;
  };
}

async function permissionsThere(
  { access }: RestoreDependencies,
  { workspace, project }: Place,
  caller: UserCaller,
  environmentId: string,
) {
  const ids = { workspace: workspace.id, project: project.id, environment: environmentId };
  return (await access.scope(caller, ids)).permissions;
}

async function targetingOf(
  parts: RestoreDependencies,
  place: Place,
  caller: UserCaller,
  flag: store.FlagRow,
  environment: { readonly id: string; readonly key: string },
) {
  const permissions = await permissionsThere(parts, place, caller, environment.id);
  if (!permissions.has('flags:read')) throw fail('PERMISSION_DENIED', { permission: 'flags:read' });
  const [row] = await store.findTargeting(parts.db, [flag.id], [environment.id]);
  return presentTargeting(parts.db, { flag, environment, row });
}

type Request = Omit<Submission<unknown, unknown>, 'kind' | 'subject' | 'payload'>;

/** Submits the state after the entry. */
async function submit(
  parts: RestoreDependencies,
  request: Request,
  key: string,
  { id, kind, after, environment_id }: NonNullable<Awaited<ReturnType<typeof findHistory>>>,
): Promise<Submitted<{ readonly historyId: string | null }>> {
  const { changes } = parts;
  const environmentId = environment_id ?? '';
  switch (kind) {
    case 'prerequisites': {
      const payload = after as PrerequisitesPatch;
      return changes.submit({ ...request, kind: prerequisitesChange, subject: { flag: key }, payload });
    }
    case 'flag':
      return changes.submit({ ...request, kind: flagChange, subject: { flag: key }, payload: after as FlagPatch });
    case 'targeting':
    case 'ramp':
    case 'guarded_release':
    case 'experiment': {
      const permissions = await permissionsThere(parts, request.place, request.caller, environmentId);
      if (!permissions.has('flags:write')) throw fail('PERMISSION_DENIED', { permission: 'flags:write' });
      const payload = asItLay(after as TargetingConfig);
      return changes.submit({ ...request, kind: targetingChange, subject: { flag: key, environmentId }, payload });
    }
    // Nothing existed before it, or a newer server wrote it and this one does not know its form.
    default:
      throw fail('CHANGE_NOT_FOUND', { id });
  }
}

/** Every unit gets the variant that it had then. */
function asItLay(config: TargetingConfig): TargetingConfig {
  return { ...config, fallthrough: withLayout(config.fallthrough), rules: config.rules.map(withLayout) };
}
