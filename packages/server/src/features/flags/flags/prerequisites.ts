import { type Prerequisite, prerequisiteCycle, validatePrerequisites } from '@fanion/flag-engine';
import { fail } from '../../../platform/fail.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { refuseStale, requireVersion } from '../../../platform/refuse-stale.ts';
import type { ChangeKind } from '../../change-kind.ts';
import { differences } from './diff.ts';
import { recordHistory } from './history-store.ts';
import { refuse } from './refuse.ts';
import { bumpRulesetsNow } from './ruleset-store.ts';
import * as store from './store.ts';

export interface PrerequisitesPatch {
  readonly prerequisites: readonly Prerequisite[];
}

/**
 * The version of the flag whose prerequisites a request replaces. Only a flag without prerequisites can be given some without
 * naming it.
 */
export async function replacedVersion(
  db: Executor,
  projectId: string,
  { key, version }: { readonly key: string; readonly version: number | undefined },
): Promise<number> {
  if (version !== undefined) return version;
  const flag = await store.findFlag(db, projectId, key);
  if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
  if (flag.prerequisites.length > 0) requireVersion(version, flag.version);
  return flag.version;
}

/** Prerequisites of a flag, the same in all environments. */
export const prerequisitesChange: ChangeKind<
  PrerequisitesPatch,
  { readonly flag: store.FlagRow; readonly historyId: string | null }
> = {
  kind: 'prerequisites',
  reach: 'project',
  async prepare(trx, { projectId }, { flag: key = '' }, { prerequisites }, version) {
    const flag = await store.findFlag(trx, projectId, key);
    if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
    if (flag.archived) throw fail('FLAG_ARCHIVED', { key });
    refuseStale(version, flag.version);
    const others = await store.listFlagFacts(trx, projectId);
    const graph = new Map(others.map((other) => [other.key, other.prerequisites.map((required) => required.flag)]));
    const cycle = prerequisiteCycle(
      graph,
      key,
      prerequisites.map((required) => required.flag),
    );
    if (cycle !== undefined) throw fail('PREREQUISITE_CYCLE', { cycle: cycle.join(' → ') });
    const variants = new Map(others.map((other) => [other.key, other.variants]));
    refuse('PREREQUISITES_INVALID', validatePrerequisites(key, prerequisites, variants, graph));
    const environments = await store.listEnvironments(trx, projectId);
    const ids = environments.map(({ id }) => id);
    const targeting = await store.findTargeting(trx, [flag.id], ids);
    const on = new Set(targeting.filter(({ config }) => config.enabled).map((row) => row.environment_id));
    const before = { prerequisites: flag.prerequisites };
    const after = { prerequisites: prerequisites.map(({ flag, variants }) => ({ flag, variants: [...variants] })) };
    const diff = differences(before, after);
    return {
      flagId: flag.id,
      segmentId: null,
      environmentId: null,
      resource: { type: 'flag', id: flag.id, name: flag.key },
      version: flag.version,
      // A flag that is off serves its off variant, whatever it requires.
      affects: environments.filter(({ id }) => on.has(id)),
      before,
      after,
      diff,
      rulesets: ids,
      unchanged: diff.length === 0 ? { flag, historyId: null } : undefined,
      async write(authorship) {
        const { now } = authorship;
        const written = await store.updateFlag(trx, flag, after, { serves: true, now });
        await bumpRulesetsNow(trx, ids, authorship);
        const historyId = await recordHistory(trx, authorship, {
          flagId: flag.id,
          environmentId: null,
          kind: 'prerequisites',
          version: written.version,
          flagVersion: null,
          diff,
          after,
        });
        return { flag: written, historyId };
      },
    };
  },
};
