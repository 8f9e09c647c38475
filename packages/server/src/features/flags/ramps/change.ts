import { newId } from '../../../platform/ids.ts';
import { refuseStale } from '../../../platform/refuse-stale.ts';
import {
  type ChangeKind,
  differences,
  type RampRow,
  rampedServe,
  refuse,
  refuseHeld,
  shareOf,
  targetingNow,
  toldServe,
  toServe,
} from '../flags/index.ts';
import { checkRamp, type Issue, type RampStep } from './rules.ts';
import { saveNewRamp } from './store.ts';
import { scheduleStep, serveRamp } from './write.ts';

export interface NewRamp {
  readonly variant: string;
  readonly steps: readonly RampStep[];
  readonly bucket_by?: string | undefined;
}

/** The start of a ramp. */
export const rampChange: ChangeKind<NewRamp, RampRow> = {
  kind: 'ramp',
  reach: 'environment',
  async prepare(trx, { projectId }, subject, { variant, steps, bucket_by }, version) {
    const now = await targetingNow(trx, projectId, subject);
    const { flag, environment, config } = now;
    refuseStale(version, now.version);
    refuseHeld(now);
    const base = toServe(config.fallthrough);
    const issues: Issue[] = checkRamp(steps, shareOf(base, variant));
    if (!flag.variants.some(({ key }) => key === variant))
      issues.unshift({ path: 'variant', message: `unknown variant "${variant}"` });
    if (config.fallthrough.variant === null)
      issues.push({
        path: 'variant',
        message: 'everyone else gets the code default here: serve them a variant first',
      });
    if (!config.enabled) issues.push({ path: 'variant', message: 'the flag is off here: turn it on first' });
    refuse('RAMP_INVALID', issues);
    const first = { variant, weight: steps[0]?.weight ?? 0, bucket_by: bucket_by ?? null };
    return {
      flagId: flag.id,
      segmentId: null,
      environmentId: environment.id,
      resource: { type: 'flag', id: flag.id, name: flag.key },
      version: now.version,
      affects: [environment],
      before: { fallthrough: config.fallthrough },
      after: { ramp: { variant, steps, bucket_by: bucket_by ?? null } },
      diff: differences(
        { fallthrough: toldServe(base), ramp: null },
        { fallthrough: toldServe(rampedServe(base, first)), ramp: { variant, steps } },
      ),
      rulesets: [environment.id],
      async write(authorship) {
        const ramp: RampRow = {
          flag_id: flag.id,
          environment_id: environment.id,
          id: newId(authorship.now.getTime()),
          variant,
          bucket_by: bucket_by ?? null,
          steps: steps.map(({ weight, hold }) => ({ weight, hold })),
          status: 'running',
          step: 0,
          step_started_at: authorship.now,
          held_ms: 0,
          run: 1,
          started_at: authorship.now,
          started_by: authorship.userId,
          ended_at: null,
        };
        await saveNewRamp(trx, ramp);
        await serveRamp(trx, now, { before: null, after: ramp }, authorship);
        await scheduleStep(trx, ramp);
        return ramp;
      },
    };
  },
};
