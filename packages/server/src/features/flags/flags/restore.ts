import type { UserCaller } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { withCurrentState } from '../../../http/stale.ts';
import { Failure, fail } from '../../../platform/fail.ts';
import { isId } from '../../../platform/ids.ts';
import type { Changes, Place, Submitted } from '../../change-kind.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { type FlagPatch, flagChange } from './flag-update.ts';
import { findHistory, presentHistory } from './history-store.ts';
import { type PrerequisitesPatch, prerequisitesChange } from './prerequisites.ts';
import { presentTargeting } from './present.ts';
import type { TargetingConfig } from './rules.ts';
import { withLayout } from './serve.ts';
import * as store from './store.ts';
import { targetingChange } from './targeting-change.ts';

/** Restores the state after an entry of the history. It is a change like any other, with its checks and approvals. */
export function createRestore({ db, access, changes }: FeatureDependencies & { readonly changes: Changes }) {
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
    const { workspace, project } = place;
    const flag = await store.findFlag(db, project.id, key);
    if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
    const entry = isId(entryId) ? await findHistory(db, flag.id, entryId) : undefined;
    if (entry === undefined || !entry.restorable) throw fail('CHANGE_NOT_FOUND', { id: entryId });
    const { kind, after, environment } = entry;
    const environmentId = entry.environment_id ?? '';
    const common = {
      place,
      caller,
      origin,
      action: 'flags.restore',
      version: input.version,
      // The version that pages show.
      comment: input.comment ?? `restored version ${entry.flag_version ?? entry.version}`,
      bypassApproval: input.bypass_approval,
    };
    const submitted = await submit().catch(async (error: unknown) => {
      if (!(error instanceof Failure && error.error === 'STALE_VERSION') || environmentId === '') throw error;
      throw await withCurrentState(error, () => targetingOf(flag));
    });
    if (submitted.status === 'waiting') return submitted;
    // Where its state is the current one, nothing was written.
    const id = submitted.result.historyId ?? entryId;
    const written = await findHistory(db, flag.id, id);
    if (written === undefined) throw fail('CHANGE_NOT_FOUND', { id });
    return { status: 'applied', result: presentHistory(written) } as const;

    async function permissionsThere() {
      const ids = { workspace: workspace.id, project: project.id, environment: environmentId };
      return (await access.scope(caller, ids)).permissions;
    }

    async function targetingOf(of: store.FlagRow) {
      if (!(await permissionsThere()).has('flags:read')) throw fail('PERMISSION_DENIED', { permission: 'flags:read' });
      const [row] = await store.findTargeting(db, [of.id], [environmentId]);
      return presentTargeting(db, { flag: of, environment: { id: environmentId, key: environment ?? '' }, row });
    }

    async function submit(): Promise<Submitted<{ readonly historyId: string | null }>> {
      switch (kind) {
        case 'prerequisites':
          return changes.submit({
            ...common,
            kind: prerequisitesChange,
            subject: { flag: key },
            payload: after as PrerequisitesPatch,
          });
        case 'flag':
          return changes.submit({ ...common, kind: flagChange, subject: { flag: key }, payload: after as FlagPatch });
        case 'targeting':
        case 'ramp':
        case 'guarded_release':
        case 'experiment': {
          if (!(await permissionsThere()).has('flags:write'))
            throw fail('PERMISSION_DENIED', { permission: 'flags:write' });
          return changes.submit({
            ...common,
            kind: targetingChange,
            subject: { flag: key, environmentId },
            payload: asItLay(after as TargetingConfig),
          });
        }
        // Nothing existed before it, or a newer server wrote it and this one does not know its form.
        default:
          throw fail('CHANGE_NOT_FOUND', { id: entryId });
      }
    }
  };
}

/** Every unit gets the variant that it had then. */
function asItLay(config: TargetingConfig): TargetingConfig {
  return { ...config, fallthrough: withLayout(config.fallthrough), rules: config.rules.map(withLayout) };
}
