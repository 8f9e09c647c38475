import { z } from 'zod';
import { FlagChange } from '../flags/flag-changes.ts';
import { FlagPlaceFilter, HoldDuration } from '../flags/ramps.ts';
import { CommentBody, SubmissionBody } from '../flags/targeting.ts';
import { Count, FlagKey, Id, Time, Version, Weight } from '../primitives.ts';
import { route } from '../route.ts';
import { VersionUnlessFirst } from '../versions.ts';
import { Direction, MetricRef, SampleRatio } from './primitives.ts';

const path = '/workspaces/{ws}/projects/{p}/environments/{e}/flags/{key}/guarded-release';

/** As `HoldDuration`, or `0s`. */
const WatchDuration = z
  .string()
  .regex(/^(0s|[1-9]\d{0,5}[smhdw])$/, 'a duration such as 30s, 5m, 12h, 7d, or 0s')
  .meta({ examples: ['24h'] });
export const GuardedState = z.enum(['draft', 'armed', 'monitoring', 'completed', 'rolled_back', 'disarmed']).meta({
  description:
    '`armed`: the first step is served, and no unit was seen yet. `completed`: everybody gets the variant, and it is not watched any more. `rolled_back` and `disarmed`: everybody gets what was served before',
});
export const GuardedStep = z.strictObject({
  weight: z.number().int().min(1).max(99_000).meta({
    description:
      'share of the variant, out of 100000. The control group is as large; if a step has more than half, the control group is the rest of that step, and is smaller than the variant by the same ratio in every step. After the last step everybody gets it',
  }),
  hold: HoldDuration,
  min_units: z.number().int().min(1).max(100_000_000).default(100).meta({
    description: 'units that each arm needs before the next step, whatever the time',
  }),
});
export const Guard = z.strictObject({
  metric: MetricRef,
  direction: Direction.nullable().default(null).meta({ description: 'which way is good; null: as the metric says' }),
  tolerance: z.number().min(0).max(1e15).default(0).meta({
    description:
      'how much worse the variant may be, in units of the metric: 0.01 for an error rate is one percentage point',
  }),
  scale: z.enum(['absolute', 'relative']).default('absolute').meta({
    description: '`relative`: the tolerance is a part of the value of the control: 0.05 is 5 % of it',
  }),
  min_units: z
    .number()
    .int()
    .min(8)
    .max(100_000_000)
    .default(100)
    .meta({ description: 'of each arm, before it is judged' }),
  on_regression: z.enum(['rollback', 'pause']).default('rollback'),
});

const Facts = {
  variant: FlagKey,
  steps: z.array(GuardedStep).min(1).max(50),
  guards: z.array(Guard).min(1).max(20),
  bucket_by: z.string().min(1).max(256).nullable().default(null),
  when_unsure: z.enum(['hold', 'advance', 'rollback']).default('hold').meta({
    description:
      'what happens when the hold of a step is over, its arms have their units and a guard is not sure: wait until all say `no_harm`, go on, or roll back',
  }),
  hold_at_most: HoldDuration.default('7d').meta({
    description:
      'how long a step waits for its guards before the channels are asked to decide; it stays held after that',
  }),
  watch: WatchDuration.default('24h').meta({
    description:
      'how long the guards go on after everybody gets the variant, at most 30 days; `0s`: not at all. There is no control group any more, so they compare with the control of the steps, and harm needs a clear margin beyond the tolerance',
  }),
  alpha: z.number().gt(0).max(0.2).default(0.05).meta({
    description: 'the chance of a false rollback, of the whole release with all its looks and guards',
  }),
  channels: z.array(z.string().max(64)).max(20).default([]).meta({
    description: 'ids of channels that are notified when the release rolls back, pauses or completes',
  }),
};

export const GuardNumbers = z.object({
  metric: z.string().meta({ description: 'as the guard names it' }),
  name: z.string(),
  verdict: z.enum(['harm', 'no_harm', 'not_sure']).meta({
    description:
      '`harm`: the variant is worse than tolerated. `no_harm`: it is not. `not_sure`: the interval of the harm has the tolerance in it, or there is too little data',
  }),
  control: z.object({ n: z.number(), mean: z.number().nullable() }),
  treatment: z.object({ n: z.number(), mean: z.number().nullable() }),
  harm: z.number().nullable().meta({ description: 'how much worse the variant is; negative: better' }),
  bound: z.number().nullable().meta({ description: 'the lower bound of the harm, which narrows as data arrives' }),
  upper: z.number().nullable().default(null).meta({ description: 'the upper bound of the harm' }),
  units_needed: z.number().nullable().default(null).meta({
    description:
      'units of each arm at which it decides if the values stay as they are; null if it has decided, or cannot be told',
  }),
  tolerance: z.number().nullable().meta({
    description: 'in units of the metric; null for a relative one while the value of the control is unknown',
  }),
  error: z.string().nullable(),
});
export const GuardedLook = z.object({
  at: Time,
  units: z.record(z.string(), z.number()),
  crossed: z.number(),
  sample_ratio: SampleRatio,
  compared_with: z.enum(['control', 'control_before']).default('control').meta({
    description:
      '`control_before`: everybody has the variant, so it is compared with the control of the steps; `tolerance` is then what is tolerated with the margin',
  }),
  guards: z.array(GuardNumbers),
});
export const GuardedContrast = z.object({
  metric: z.string().meta({ description: 'of the guard, as it names it' }),
  failing: z.string().meta({ description: 'which rows of the metric failed: a condition in OQL' }),
  attributes: z
    .array(
      z.object({
        field: z.string(),
        value: z.string(),
        failing: z.number().meta({ description: 'share of the failing rows of the variant' }),
        others: z.number().meta({ description: 'share of its other rows' }),
      }),
    )
    .meta({ description: 'the values that are more frequent among failing rows, at most 8' }),
});
export type GuardedContrast = z.output<typeof GuardedContrast>;
export const GuardedEvent = z.object({
  id: Id,
  time: Time,
  kind: z.enum([
    'armed',
    'look',
    'step',
    'hold',
    'watch',
    'paused',
    'continued',
    'rolled_back',
    'completed',
    'disarmed',
  ]),
  step: Count.meta({ description: 'index of the step' }),
  weight: Weight,
  reason: z.string(),
  guards: z.array(GuardNumbers).meta({ description: 'what the look measured; empty where nothing was measured' }),
  look: GuardedLook.omit({ guards: true }).nullable(),
  contrast: GuardedContrast.nullable().meta({
    description:
      'of a rollback: what the failing rows had in common at that moment. null where the metric has no rows in traces that could fail one by one, and until it is computed',
  }),
});
export const GuardedRelease = z.object({
  id: Id,
  flag: z.string(),
  environment: z.string(),
  ...Facts,
  control: z.string().nullable().meta({ description: 'what it is compared with; null before it is armed' }),
  state: GuardedState,
  version: Version,
  step: Count.meta({ description: 'index of the current step' }),
  weight: Weight.meta({ description: 'share of the variant now, out of 100000' }),
  step_started_at: Time.nullable(),
  next_step_at: Time.nullable().meta({ description: 'at the earliest; null while it does not move' }),
  watching_until: Time.nullable().meta({
    description: 'until when its guards watch the variant that everybody gets; null before and after that',
  }),
  paused_reason: z.string().nullable().meta({ description: 'why it waits for a person: arm it again to continue' }),
  unsure_since: Time.nullable().meta({
    description: 'since when only guards that are not sure hold the step: arm it again to go on all the same',
  }),
  looks: Count,
  last_look: GuardedLook.nullable(),
  armed_at: Time.nullable(),
  armed_by: z.string().nullable(),
  ended_at: Time.nullable(),
  ended_reason: z.string().nullable(),
  created_at: Time,
  updated_at: Time,
});
export const GuardedBacktest = z.object({
  from: Time,
  to: Time,
  days: z
    .number()
    .meta({ description: 'since the first unit of these days, at most 30: what `units_per_day` is about' }),
  releases: Count.meta({ description: 'releases that were replayed: several random splits of each day' }),
  false_rollbacks: Count.meta({ description: 'replayed releases in which a guard found a regression' }),
  units_per_day: z.number(),
  note: z.string().nullable(),
  guards: z.array(
    z.object({
      metric: z.string(),
      name: z.string(),
      error: z.string().nullable(),
      releases: Count,
      false_rollbacks: Count,
      baseline: z.number().nullable().meta({ description: 'the metric of these days' }),
      steps: z.array(
        z.object({
          weight: Weight,
          hold: z.string(),
          units_per_arm: z.number().meta({
            description: 'that the step brings to the control group in its hold, at the traffic of these days',
          }),
          smallest_regression: z.number().nullable().meta({
            description:
              'harm that the guard finds by the end of the hold with a chance of 80 %; null if it is not known',
          }),
          seconds_to_detect: z.number().nullable().meta({
            description:
              'from the start of the step until the guard finds harm of twice its tolerance, with a chance of 80 %; null without a tolerance, or if it is not known',
          }),
          seconds_to_clear: z.number().nullable().meta({
            description:
              'from the start of the step until the guard says that there is no harm, if there is none, with a chance of 80 %; null without a tolerance, or if it is not known',
          }),
          clears_within_hold: z.boolean().nullable().meta({
            description:
              'false: the guard is likely to be not sure at the end of the hold, and `when_unsure` decides. null if nothing is known about the metric',
          }),
        }),
      ),
    }),
  ),
});
export type GuardedBacktest = z.output<typeof GuardedBacktest>;
export type GuardedLook = z.output<typeof GuardedLook>;
export type GuardedEvent = z.output<typeof GuardedEvent>;

const example = {
  variant: 'true',
  steps: [
    { weight: 1_000, hold: '30m' },
    { weight: 10_000, hold: '2h' },
    { weight: 50_000, hold: '1d' },
  ],
  guards: [{ metric: 'error_rate', tolerance: 0.01 }],
};
const errors = ['FLAG_NOT_FOUND', 'GUARDED_RELEASE_NOT_FOUND'] as const;

export const listGuardedReleases = route({
  id: 'guarded_releases.list',
  method: 'GET',
  path: '/workspaces/{ws}/projects/{p}/guarded-releases',
  summary: 'List the guarded releases of all flags, newest first',
  auth: 'user',
  permission: 'flags:read',
  list: true,
  query: {
    state: z
      .enum(['draft', 'active', 'ended'])
      .optional()
      .meta({ description: '`active`: armed or monitoring; `ended`: completed, rolled back or disarmed' }),
    ...FlagPlaceFilter,
  },
  response: GuardedRelease,
  errors: ['FLAG_NOT_FOUND'],
});
export const getGuardedRelease = route({
  id: 'guarded_releases.get',
  method: 'GET',
  path,
  summary: 'Get the guarded release of a flag in an environment',
  auth: 'user',
  permission: 'flags:read',
  response: GuardedRelease,
  errors,
});
export const putGuardedRelease = route({
  id: 'guarded_releases.put',
  example: { body: example },
  method: 'PUT',
  path,
  summary: 'Write the guarded release of a flag in an environment; it changes nothing until it is armed',
  auth: 'user',
  permission: 'flags:write',
  alsoNeeds: 'telemetry:query',
  body: z.strictObject({
    ...Facts,
    version: VersionUnlessFirst,
  }),
  response: GuardedRelease,
  errors: [
    'FLAG_NOT_FOUND',
    'FLAG_ARCHIVED',
    'GUARDED_RELEASE_INVALID',
    'GUARDED_RELEASE_STATE',
    'STALE_VERSION',
    'PERMISSION_DENIED',
  ],
});
export const removeGuardedRelease = route({
  id: 'guarded_releases.remove',
  method: 'DELETE',
  path,
  summary: 'Delete the guarded release of a flag in an environment, with its events',
  auth: 'user',
  permission: 'flags:write',
  errors: [...errors, 'GUARDED_RELEASE_STATE'],
});
export const armGuardedRelease = route({
  id: 'guarded_releases.arm',
  method: 'POST',
  path: `${path}/arm`,
  summary: 'Arm a guarded release: serve its first step, and judge it from now on',
  description:
    'One that was paused by a guard continues with the step that it had. One that is held since a guard is not sure goes on with its next step.',
  auth: 'user',
  permission: 'flags:write',
  status: 200,
  otherStatus: 202,
  accepted: FlagChange,
  body: SubmissionBody.optional(),
  response: GuardedRelease,
  errors: [
    ...errors,
    'FLAG_ARCHIVED',
    'GUARDED_RELEASE_INVALID',
    'GUARDED_RELEASE_STATE',
    'EXPERIMENT_ACTIVE',
    'RAMP_ACTIVE',
    'LIMIT_REACHED',
  ],
});
export const disarmGuardedRelease = route({
  id: 'guarded_releases.disarm',
  method: 'POST',
  path: `${path}/disarm`,
  summary: 'End a guarded release now, and serve what was served before',
  description: 'It needs no approval, since it only reverts.',
  auth: 'user',
  permission: 'flags:write',
  status: 200,
  body: CommentBody.optional(),
  response: GuardedRelease,
  errors: [...errors, 'GUARDED_RELEASE_STATE'],
});
export const listGuardedEvents = route({
  id: 'guarded_releases.events',
  method: 'GET',
  path: `${path}/events`,
  summary: 'List what a guarded release saw and decided, newest first',
  auth: 'user',
  permission: 'flags:read',
  list: true,
  query: {
    kind: z
      .enum(['all', 'decisions'])
      .optional()
      .meta({ description: '`decisions` leaves out looks that changed nothing' }),
  },
  response: GuardedEvent,
  errors,
});
export const backtestGuardedRelease = route({
  id: 'guarded_releases.backtest',
  method: 'GET',
  path: `${path}/backtest`,
  summary: 'Replay the guards of a guarded release over the last 30 days',
  description:
    'Units of each day are divided at random into two arms that were served the same, so every regression that a guard finds is a false rollback. Each step also shows the smallest regression that it would find.',
  auth: 'user',
  permission: 'flags:read',
  alsoNeeds: 'telemetry:query',
  response: GuardedBacktest,
  errors: [...errors, 'QUERY_TOO_EXPENSIVE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE', 'PERMISSION_DENIED'],
});
