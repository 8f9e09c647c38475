import type { Rollout, Serve } from '@fanion/flag-engine';
import { fail } from '../../../platform/fail.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { findHolds } from './holds-store.ts';
import { initialTargeting } from './rules.ts';
import { heldServe, rampedServe, toServe } from './serve.ts';
import * as store from './store.ts';

/** What everyone else gets from a flag in an environment now, with ramps and what else holds the fallthrough. */
export interface ServedNow {
  readonly enabled: boolean;
  readonly fallthrough: Serve;
  /** The split of an experiment that only its audience gets, in place of the fallthrough. */
  readonly audience: Rollout | undefined;
  /** The version that answers and exposures carry. */
  readonly version: number;
}

/** Throws `FLAG_NOT_FOUND`. */
export async function servedNow(
  db: Executor,
  projectId: string,
  { flag: key, environmentId }: { readonly flag: string; readonly environmentId: string },
): Promise<ServedNow> {
  const flag = await store.findFlag(db, projectId, key);
  if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
  const where = { flagIds: [flag.id], environmentIds: [environmentId] };
  const [row] = await store.findTargeting(db, [flag.id], [environmentId]);
  const [ramp] = await store.findActiveRamps(db, where);
  const [hold] = await findHolds(db, where);
  const config = row?.config ?? initialTargeting(flag);
  const base = toServe(config.fallthrough);
  return {
    enabled: config.enabled && !flag.archived,
    fallthrough: ramp === undefined ? heldServe(base, hold).fallthrough : rampedServe(base, store.rampState(ramp)),
    audience: hold === undefined || hold.clauses.length === 0 ? undefined : hold.rollout,
    version: flag.serve_version + (row?.flag_version ?? 0),
  };
}
