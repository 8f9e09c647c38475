import { GuardedLook } from '@fanion/contract';
import { fail } from '../../../platform/fail.ts';
import { enqueueJob } from '../../../platform/jobs/index.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import type { FrozenGuards, GuardedDefinition } from '../../../platform/postgres/schema.ts';
import { refuseStale } from '../../../platform/refuse-stale.ts';
import {
  type Authorship,
  type ChangeKind,
  differences,
  holdFallthrough,
  rampedServe,
  refuse,
  refuseHeld,
  type TargetingNow,
  targetingNow,
  toldServe,
  toServe,
} from '../../flags/flags/index.ts';
import { findKnownMetrics } from '../metrics/index.ts';
import { controlIssues, type Issue, widestOf } from './rules.ts';
import { slotOf } from './slots-rules.ts';
import { findRelease, insertEvent, type ReleaseRow, saveArmed, saveContinued } from './store.ts';

export const lookJobKind = 'guarded_releases.look';

/** The version of the definition that is armed: nobody approves one that was edited meanwhile. */
export interface Arming {
  readonly definition_version: number;
}

/** Arms a guarded release, or continues one that was paused. */
export const armChange: ChangeKind<Arming, ReleaseRow> = {
  kind: 'guarded_release',
  reach: 'environment',
  async prepare(trx, { projectId }, subject, { definition_version }, version) {
    const now = await targetingNow(trx, projectId, subject);
    const { flag, environment, config } = now;
    const release = await findRelease(trx, flag.id, environment.id);
    if (release === undefined) throw fail('GUARDED_RELEASE_NOT_FOUND', { key: flag.key });
    refuseStale(version, now.version);
    refuseStale(definition_version, release.version);
    const { definition } = release;
    const common = {
      flagId: flag.id,
      segmentId: null,
      environmentId: environment.id,
      resource: { type: 'flag', id: flag.id, name: flag.key },
      version: now.version,
      affects: [environment],
    };
    if (isActive(release)) {
      if (release.paused_reason === null && release.unsure_since === null)
        throw fail('GUARDED_RELEASE_STATE', { state: release.state, advice: 'it is armed already' });
      return { ...common, ...continuing(trx, release) };
    }
    if (release.state !== 'draft')
      throw fail('GUARDED_RELEASE_STATE', { state: release.state, advice: 'write it again with PUT to arm it again' });
    refuseHeld(now);
    const frozen = await freeze(trx, projectId, now, definition);
    const [first] = definition.steps;
    const weight = first?.weight ?? 0;
    const { variant, bucket_by, steps } = definition;
    const state = { variant, weight, bucket_by, widest: widestOf(steps) };
    const { rollout } = rampedServe(toServe(config.fallthrough), state);
    const shown = { variant, steps, guards: definition.guards };
    return {
      ...common,
      before: { fallthrough: config.fallthrough },
      after: { guarded_release: shown },
      diff: differences(
        { fallthrough: toldServe(toServe(config.fallthrough)), guarded_release: null },
        { fallthrough: toldServe({ rollout }), guarded_release: shown },
      ),
      rulesets: [environment.id],
      async write(authorship) {
        const armed = await saveArmed(trx, release.id, { frozen, by: authorship.userId, now: authorship.now });
        await holdFallthrough(trx, now, { kind: 'guarded_release', id: armed.id, rollout }, authorship);
        const reason = `${authorship.actor.name} started it.`;
        await insertEvent(trx, armed, { kind: 'armed', weight, reason, look: null, now: authorship.now });
        await enqueueJob(trx, {
          kind: lookJobKind,
          // With the run, since the job of an earlier one can still wait.
          name: `${lookJobKind}:${armed.id}:${armed.run}`,
          payload: { release: armed.id, run: armed.run },
          runAt: new Date(slotOf(environment.id, authorship.now.getTime()).next),
        });
        return armed;
      },
    };
  },
};

/** Continues a release that was paused. */
function continuing(trx: Executor, release: ReleaseRow) {
  return {
    before: { paused: release.paused_reason, unsure_since: release.unsure_since },
    after: { paused: null, unsure_since: null },
    diff: [],
    rulesets: [],
    async write({ actor, now }: Authorship) {
      const continued = await saveContinued(trx, release, acceptedIn(release), now);
      const reason = `${actor.name} continued it.`;
      const { steps } = release.definition;
      const weight = release.watched_since === null ? (steps[release.step]?.weight ?? 0) : 100_000;
      await insertEvent(trx, continued, { kind: 'continued', weight, reason, look: null, now });
      return continued;
    },
  };
}

export function isActive({ state }: Pick<ReleaseRow, 'state'>): boolean {
  return state === 'armed' || state === 'monitoring';
}

/** What a person accepts who continues: guards that found harm in the last look, by their index, or that they are not sure in this step. */
function acceptedIn({ last_look, frozen, paused_reason, step }: ReleaseRow): Pick<FrozenGuards, 'accepted' | 'passed'> {
  if (paused_reason === null) return { passed: step };
  const look = GuardedLook.safeParse(last_look);
  const found = look.success ? look.data.guards.flatMap(({ verdict }, i) => (verdict === 'harm' ? [i] : [])) : [];
  return { accepted: [...new Set([...(frozen?.accepted ?? []), ...found])] };
}

/** What counts from now on, whatever is edited. Throws `GUARDED_RELEASE_INVALID` for what cannot be measured here. */
async function freeze(
  trx: Executor,
  projectId: string,
  { config, flag }: TargetingNow,
  definition: GuardedDefinition,
): Promise<FrozenGuards> {
  const { variant: control } = config.fallthrough;
  const issues: Issue[] = controlIssues(control, definition.variant);
  if (!flag.variants.some(({ key }) => key === definition.variant))
    issues.push({ path: 'variant', message: `unknown variant "${definition.variant}"` });
  if (!config.enabled) issues.push({ path: 'variant', message: 'the flag is off here: turn it on first' });
  const metrics: FrozenGuards['metrics'][number][] = [];
  const refs = definition.guards.map(({ metric }) => metric);
  const known = await findKnownMetrics(trx, projectId, refs);
  for (const [i, ref] of refs.entries()) {
    const metric = known.get(ref);
    if (metric === undefined) issues.push({ path: `guards.${i}.metric`, message: `unknown metric "${ref}"` });
    else metrics.push({ key: metric.key, name: metric.name, definition: metric.definition });
  }
  refuse('GUARDED_RELEASE_INVALID', issues);
  return { control: control ?? '', metrics };
}
