import type { Flag, TargetingDraft } from '@fanion/flag-engine';
import { fail } from '../../../platform/fail.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { toEngineFlag } from './ruleset.ts';
import { findServedFlags } from './ruleset-store.ts';
import { listSegmentKeys } from './store.ts';
import { checkedConfig, targetingNow } from './targeting.ts';

/** A flag as an environment would serve it with another targeting. Writes nothing, and refuses what a write would refuse. */
export async function proposedFlag(
  db: Executor,
  projectId: string,
  subject: { readonly flag: string; readonly environmentId: string },
  draft: TargetingDraft,
): Promise<Flag> {
  const present = await targetingNow(db, projectId, subject);
  const config = checkedConfig(await listSegmentKeys(db, projectId), present, draft);
  const { flag, environment, row } = present;
  const [served] = await findServedFlags(db, environment.id, [flag.id]);
  if (served === undefined) throw fail('NOT_FOUND', { resource: 'flag' });
  const targeting = {
    flag_id: flag.id,
    environment_id: environment.id,
    version: 0,
    flag_version: 0,
    segments: [],
    // The first write assigns the salt; until then it is unknown whom a split selects.
    salt: flag.id,
    updated_at: new Date(0),
    updated_by: null,
    ...row,
    config,
  };
  // An edit ends a guarded release.
  const hold = served.hold?.kind === 'guarded_release' ? undefined : served.hold;
  return toEngineFlag({ ...served, targeting, hold });
}
