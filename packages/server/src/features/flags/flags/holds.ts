import type { Clause, Rollout, ServeDraft } from '@fanion/flag-engine';
import { fail } from '../../../platform/fail.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { Authorship } from '../../change-kind.ts';
import { differences } from './diff.ts';
import { recordHistory } from './history-store.ts';
import { deleteHold, type HoldRow, saveHold } from './holds-store.ts';
import { toldServe, toServe } from './serve.ts';
import type { TargetingRow } from './store.ts';
import { bumpTargeting, type TargetingNow, writeTargeting } from './targeting.ts';

export type HolderKind = HoldRow['kind'];

const holders: Readonly<Record<HolderKind, string>> = {
  guarded_release: 'a guarded release',
  experiment: 'an experiment',
};

/** Throws `RAMP_ACTIVE` or `EXPERIMENT_ACTIVE` if something else serves the fallthrough of a flag. */
export function refuseHeld({ flag, ramp, hold }: Pick<TargetingNow, 'flag' | 'ramp' | 'hold'>, own?: string): void {
  if (ramp !== undefined) throw fail('RAMP_ACTIVE', { key: flag.key });
  if (hold !== undefined && hold.holder_id !== own)
    throw fail('EXPERIMENT_ACTIVE', { key: flag.key, holder: holders[hold.kind] });
}

/**
 * Serves a rollout in place of the fallthrough, as the next version of the ruleset; also when the holder changes it. Throws as
 * `refuseHeld`. The caller has the project locked.
 */
export async function holdFallthrough(
  trx: Executor,
  now: TargetingNow,
  {
    kind,
    id,
    rollout,
    clauses = [],
  }: {
    readonly kind: HolderKind;
    readonly id: string;
    readonly rollout: Rollout;
    readonly clauses?: readonly Clause[];
  },
  authorship: Authorship,
): Promise<TargetingRow> {
  refuseHeld(now, id);
  const { flag, environment } = now;
  const hold = {
    flag_id: flag.id,
    environment_id: environment.id,
    kind,
    holder_id: id,
    rollout,
    clauses,
    held_at: authorship.now,
  };
  await saveHold(trx, hold);
  const row = await bumpTargeting(trx, { ...now, hold }, authorship);
  const before = now.hold === undefined ? toServe(now.config.fallthrough) : { rollout: now.hold.rollout };
  await recordHistory(trx, authorship, {
    flagId: flag.id,
    environmentId: environment.id,
    kind,
    version: row.version,
    flagVersion: flag.serve_version + row.flag_version,
    diff: differences({ fallthrough: toldServe(before) }, { fallthrough: toldServe({ rollout }) }),
    after: null,
  });
  return row;
}

/**
 * Ends a hold: the targeting is served again, or `fallthrough` is written to it. Returns undefined if the holder does not have
 * the fallthrough any more. The caller has the project locked.
 */
export async function releaseFallthrough(
  trx: Executor,
  now: TargetingNow,
  { id, fallthrough }: { readonly id: string; readonly fallthrough?: ServeDraft },
  authorship: Authorship,
): Promise<TargetingRow | undefined> {
  const { flag, environment, config, hold } = now;
  if (hold?.holder_id !== id) return undefined;
  await deleteHold(trx, flag.id, environment.id);
  const after = fallthrough === undefined ? config : { ...config, fallthrough };
  const free = { ...now, hold: undefined };
  const row =
    fallthrough === undefined
      ? await bumpTargeting(trx, free, authorship)
      : await writeTargeting(trx, free, after, authorship);
  await recordHistory(trx, authorship, {
    flagId: flag.id,
    environmentId: environment.id,
    kind: hold.kind,
    version: row.version,
    flagVersion: flag.serve_version + row.flag_version,
    diff: differences(
      { fallthrough: toldServe({ rollout: hold.rollout }) },
      { fallthrough: toldServe(toServe(after.fallthrough)) },
    ),
    after,
  });
  return row;
}
