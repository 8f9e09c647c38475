import { type RuleDraft, type TargetingDraft, withoutLayout } from '@fanion/flag-engine';
import { createBreath } from '../../../platform/breath.ts';
import { isUnchanged } from '../../../platform/is-unchanged.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { refuseStale } from '../../../platform/refuse-stale.ts';
import { bulkKind, type ChangeRequest, type EnvironmentRow, locating, type Plan } from '../../change-kind.ts';
import { differences } from './diff.ts';
import { recordHistories } from './history-store.ts';
import { disarmGuardedReleases, findArmedFlags } from './holds-store.ts';
import type { TargetingConfig } from './rules.ts';
import * as store from './store.ts';
import {
  checkedConfig,
  shown,
  type TargetingNow,
  type TargetingWrite,
  targetingsNow,
  writeTargetings,
} from './targeting.ts';

/** Named fields replace the present ones; a rule may bring the salt that it had in the past. */
export type TargetingPatch = {
  readonly [K in keyof TargetingDraft]?: TargetingDraft[K] | undefined;
} & { readonly rules?: readonly (RuleDraft & { readonly salt?: string })[] | undefined };

export interface TargetingWritten {
  readonly flag: store.FlagRow;
  readonly environment: EnvironmentRow;
  readonly row: store.TargetingRow;
  /** Null where nothing was written. */
  readonly historyId: string | null;
}

interface PlannedTargeting extends Plan<TargetingWritten> {
  readonly targeting: TargetingNow;
  readonly config: TargetingConfig;
}

/** The targeting of a flag in an environment. */
export const targetingChange = bulkKind<TargetingPatch, TargetingWritten>({
  kind: 'targeting',
  reach: 'environment',
  async prepareMany(trx, { projectId }, requests) {
    const breath = createBreath();
    const segments = await store.listSegmentKeys(trx, projectId);
    const planned: PlannedTargeting[] = [];
    for (const [at, targeting] of (await targetingsNow(trx, projectId, requests)).entries()) {
      const request = requests[at];
      if (request !== undefined) planned.push(locating(request, () => plan(targeting, request, segments)));
      await breath();
    }
    return {
      plans: planned,
      async write(chosen) {
        const writes = chosen.flatMap(({ at, authorship }) => {
          const one = planned[at];
          return one === undefined ? [] : [{ ...one, authorship }];
        });
        return writeAll(trx, writes);
      },
    };
  },
});

function plan(
  targeting: TargetingNow,
  { payload: patch, version }: ChangeRequest<TargetingPatch>,
  segments: ReadonlySet<string>,
): PlannedTargeting {
  const { flag, environment, config: before, row } = targeting;
  refuseStale(version, targeting.version);
  const after = checkedConfig(segments, targeting, { ...before, ...definedOnly(patch) });
  return {
    flagId: flag.id,
    segmentId: null,
    environmentId: environment.id,
    resource: { type: 'flag', id: flag.id, name: flag.key },
    version: targeting.version,
    affects: [environment],
    before: shown(before),
    after: shown(after),
    diff: differences(toldOf(before), toldOf(after)),
    rulesets: [environment.id],
    unchanged:
      row !== undefined && isUnchanged(before, after) ? { flag, environment, row, historyId: null } : undefined,
    targeting,
    config: after,
  };
}

async function writeAll(
  trx: Executor,
  writes: readonly (TargetingWrite & Pick<PlannedTargeting, 'diff'>)[],
): Promise<TargetingWritten[]> {
  const armed = await findArmedFlags(
    trx,
    writes.map(({ targeting }) => targeting.flag.id),
  );
  for (const { targeting, authorship } of writes) {
    const place = { flagId: targeting.flag.id, environmentId: targeting.environment.id };
    if (!armed.has(place.flagId)) continue;
    await disarmGuardedReleases(trx, place, `${authorship.actor.name} edited the targeting.`, authorship.now);
  }
  const rows = await writeTargetings(trx, writes);
  const written = writes.flatMap((write, at) => {
    const row = rows[at];
    return row === undefined ? [] : [{ ...write, row }];
  });
  const ids = await recordHistories(
    trx,
    written.map(({ targeting: { flag, environment }, row, config, diff, authorship }) => ({
      authorship,
      fact: {
        flagId: flag.id,
        environmentId: environment.id,
        kind: 'targeting',
        version: row.version,
        flagVersion: flag.serve_version + row.flag_version,
        diff,
        after: config,
      },
    })),
  );
  return written.map(({ targeting: { flag, environment }, row }, at) => ({
    flag,
    environment,
    row,
    historyId: ids[at] ?? null,
  }));
}

/** For the difference that people read: the written targeting without the layout of its variants. */
function toldOf(config: TargetingConfig) {
  return shown({ ...config, fallthrough: withoutLayout(config.fallthrough), rules: config.rules.map(withoutLayout) });
}

function definedOnly(patch: TargetingPatch): Partial<TargetingDraft> {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}
