import type { MountedRoute } from '../../../http/context.ts';
import type { JobKind } from '../../../platform/jobs/index.ts';
import type { Outbox } from '../../../platform/outbox/index.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { batchesFeature } from '../batches/index.ts';
import { type AnyChangeKind, changeJob, changesFeature, createChanges } from '../changes/index.ts';
import type { ReadFlagUse } from '../exposures/index.ts';
import { flagChange, flagsFeature, prerequisitesChange, targetingChange } from '../flags/index.ts';
import { rampChange, rampJob, rampsFeature } from '../ramps/index.ts';
import { segmentChange, segmentsFeature } from '../segments/index.ts';

export interface FlagManagementDependencies extends FeatureDependencies {
  readonly outbox: Pick<Outbox, 'wake'>;
  /** Lets this replica serve a change before the change is answered. */
  readonly refresh: (environmentIds: readonly string[]) => Promise<void>;
  /** How flags were used lately. */
  readonly use: ReadFlagUse;
}

export interface FlagManagement {
  readonly routes: MountedRoute[];
  readonly jobs: JobKind[];
}

/** All that changes what flags serve, put together: whatever can wait for approval or its time is known here. */
export function createFlagManagement(dependencies: FlagManagementDependencies): FlagManagement {
  const { outbox, refresh, log } = dependencies;

  async function announce(environmentIds: readonly string[]): Promise<void> {
    if (environmentIds.length === 0) return;
    outbox.wake();
    await refresh(environmentIds).catch((error: unknown) => {
      // It is committed; the next look at the versions brings it.
      log.warn({ err: error }, 'a change will be served a little later');
    });
  }

  const kinds: AnyChangeKind[] = [targetingChange, flagChange, prerequisitesChange, segmentChange, rampChange];
  const changes = createChanges({ ...dependencies, announce });
  const shared = { ...dependencies, announce, changes, kinds };
  return {
    routes: [
      ...flagsFeature(shared),
      ...segmentsFeature(shared),
      ...batchesFeature(shared),
      ...changesFeature(shared),
      ...rampsFeature(shared),
    ],
    jobs: [changeJob(shared), rampJob(shared)],
  };
}
