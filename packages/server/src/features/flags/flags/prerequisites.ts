import { type Prerequisite, prerequisiteCycle, validatePrerequisites } from '@fanion/flag-engine';
import { createBreath } from '../../../platform/breath.ts';
import { fail } from '../../../platform/fail.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { refuseStale, requireVersion } from '../../../platform/refuse-stale.ts';
import {
  type Authorship,
  bulkKind,
  type ChangeRequest,
  type EnvironmentRow,
  locating,
  type Plan,
} from '../../change-kind.ts';
import { differences } from './diff.ts';
import { type HistoryEntry, recordHistories } from './history-store.ts';
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

interface PlannedPrerequisites extends Plan<PrerequisitesWritten> {
  readonly flag: store.FlagRow;
  readonly required: store.FlagRow['prerequisites'];
}

export interface PrerequisitesWritten {
  readonly flag: store.FlagRow;
  readonly historyId: string | null;
}

/** Prerequisites of a flag, the same in all environments. */
export const prerequisitesChange = bulkKind<PrerequisitesPatch, PrerequisitesWritten>({
  kind: 'prerequisites',
  reach: 'project',
  async prepareMany(trx, { projectId }, requests) {
    const known = await knownFacts(trx, projectId, requests);
    const breath = createBreath();
    const planned: PlannedPrerequisites[] = [];
    for (const request of requests) {
      planned.push(locating(request, () => plan(known, request)));
      await breath();
    }
    return {
      plans: planned,
      async write(chosen) {
        const written: (PrerequisitesWritten & HistoryEntry)[] = [];
        for (const { at, authorship } of chosen) {
          const one = planned[at];
          if (one !== undefined) written.push(await write(trx, known, one, authorship));
        }
        const ids = await recordHistories(trx, written);
        return written.map(({ flag }, at) => ({ flag, historyId: ids[at] ?? null }));
      },
    };
  },
});

/** What the checks of all requests need. */
interface KnownFacts {
  readonly flags: ReadonlyMap<string, store.FlagRow>;
  readonly variants: ReadonlyMap<string, store.FlagRow['variants']>;
  /** Grows with each request, so that two of them cannot make a cycle together. */
  readonly graph: Map<string, readonly string[]>;
  readonly environments: readonly EnvironmentRow[];
  /** Ids of the environments in which a flag is on, by its id. */
  readonly on: ReadonlyMap<string, ReadonlySet<string>>;
}

async function knownFacts(
  trx: Executor,
  projectId: string,
  requests: readonly ChangeRequest<PrerequisitesPatch>[],
): Promise<KnownFacts> {
  const flags = await store.findFlags(
    trx,
    projectId,
    requests.map(({ subject }) => subject.flag ?? ''),
  );
  const others = await store.listFlagFacts(trx, projectId);
  const environments = await store.listEnvironments(trx, projectId);
  const targeting = await store.findTargeting(
    trx,
    flags.map(({ id }) => id),
    environments.map(({ id }) => id),
  );
  const on = new Map<string, Set<string>>();
  for (const { flag_id, environment_id, config } of targeting) {
    if (!config.enabled) continue;
    const ids = on.get(flag_id) ?? new Set();
    on.set(flag_id, ids.add(environment_id));
  }
  return {
    flags: new Map(flags.map((flag) => [flag.key, flag])),
    variants: new Map(others.map((other) => [other.key, other.variants])),
    graph: new Map(others.map((other) => [other.key, other.prerequisites.map((required) => required.flag)])),
    environments,
    on,
  };
}

function plan(
  { flags, variants, graph, environments, on }: KnownFacts,
  { subject: { flag: key = '' }, payload: { prerequisites }, version }: ChangeRequest<PrerequisitesPatch>,
): PlannedPrerequisites {
  const flag = flags.get(key);
  if (flag === undefined) throw fail('FLAG_NOT_FOUND', { key });
  if (flag.archived) throw fail('FLAG_ARCHIVED', { key });
  refuseStale(version, flag.version);
  const names = prerequisites.map((required) => required.flag);
  const cycle = prerequisiteCycle(graph, key, names);
  if (cycle !== undefined) throw fail('PREREQUISITE_CYCLE', { cycle: cycle.join(' → ') });
  refuse('PREREQUISITES_INVALID', validatePrerequisites(key, prerequisites, variants, graph));
  graph.set(key, names);
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
    affects: environments.filter(({ id }) => on.get(flag.id)?.has(id)),
    before,
    after,
    diff,
    rulesets: environments.map(({ id }) => id),
    unchanged: diff.length === 0 ? { flag, historyId: null } : undefined,
    flag,
    required: after.prerequisites,
  };
}

async function write(
  trx: Executor,
  { environments }: KnownFacts,
  { flag: before, required, diff }: PlannedPrerequisites,
  authorship: Authorship,
) {
  const after = { prerequisites: required };
  const flag = await store.updateFlag(trx, before, after, { serves: true, now: authorship.now });
  await bumpRulesetsNow(
    trx,
    environments.map(({ id }) => id),
    authorship,
  );
  const fact = {
    flagId: flag.id,
    environmentId: null,
    kind: 'prerequisites',
    version: flag.version,
    flagVersion: null,
    diff,
    after,
  } as const;
  return { flag, historyId: null, authorship, fact };
}
