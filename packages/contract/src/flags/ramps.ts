import { z } from 'zod';
import { Count, FlagKey, Id, Time, Weight } from '../primitives.ts';
import { route } from '../route.ts';
import { VersionIfKnown } from '../versions.ts';
import { FlagChange } from './flag-changes.ts';
import { CommentBody, Submission } from './targeting.ts';

const path = '/workspaces/{ws}/projects/{p}/environments/{e}/flags/{key}/ramp';

/** Whole seconds, minutes, hours, days or weeks: `30s`, `5m`, `7d`. */
export const HoldDuration = z
  .string()
  .regex(/^[1-9]\d{0,5}[smhdw]$/, 'a duration such as 30s, 5m, 12h, 7d')
  .meta({ examples: ['1h'] });
export const RampStep = z.object({ weight: Weight, hold: z.string() });
export const Ramp = z.object({
  id: Id,
  flag: z.string(),
  environment: z.string(),
  variant: z.string(),
  bucket_by: z.string().nullable(),
  steps: z.array(RampStep),
  status: z.enum(['running', 'paused', 'completed', 'aborted']),
  step: Count.meta({ description: 'index of the current step' }),
  weight: Weight.meta({ description: 'share of the variant at this step, out of 100000' }),
  step_started_at: Time,
  next_step_at: Time.nullable().meta({ description: 'null while paused and after the ramp has ended' }),
  started_at: Time,
  started_by: z.string().nullable(),
  ended_at: Time.nullable(),
});

/** Filters of lists over all flags of a project. */
export const FlagPlaceFilter = {
  environment: z.string().max(128).optional().meta({ description: 'key or id' }),
  flag: z.string().max(128).optional().meta({ description: 'key of a flag' }),
};

export const listRamps = route({
  id: 'ramps.list',
  method: 'GET',
  path: '/workspaces/{ws}/projects/{p}/ramps',
  summary: 'List ramps of all flags, newest first: of each flag and environment the active one, or else the last one',
  auth: 'user',
  permission: 'flags:read',
  list: true,
  query: {
    state: z.enum(['active', 'ended']).optional().meta({ description: '`active`: running or paused' }),
    ...FlagPlaceFilter,
  },
  response: Ramp,
  errors: ['FLAG_NOT_FOUND'],
});

const errors = ['FLAG_NOT_FOUND', 'RAMP_NOT_FOUND'] as const;
export const getRamp = route({
  id: 'ramps.get',
  method: 'GET',
  path,
  summary: 'Get the active ramp of a flag in an environment, or else the last one',
  auth: 'user',
  permission: 'flags:read',
  response: Ramp,
  errors,
});
export const startRamp = route({
  id: 'ramps.start',
  example: { body: { variant: 'true', steps: [{ weight: 1_000, hold: '1h' }] } },
  method: 'POST',
  path,
  summary: 'Start a ramp: roll a variant out step by step',
  description:
    'The variant gets its share of the fallthrough; targets and rules stay unchanged. Both arms are tracked. After the hold of the last step, its share becomes the fallthrough.',
  auth: 'user',
  permission: 'flags:write',
  otherStatus: 202,
  accepted: FlagChange,
  body: z.strictObject({
    variant: FlagKey,
    steps: z
      .array(z.strictObject({ weight: z.number().int().min(1).max(100_000), hold: HoldDuration }))
      .min(1)
      .max(100),
    bucket_by: z.string().min(1).max(256).optional(),
    version: VersionIfKnown.meta({ description: "version of the environment's targeting; another one is refused" }),
    ...Submission,
  }),
  response: Ramp,
  errors: [
    'FLAG_NOT_FOUND',
    'FLAG_ARCHIVED',
    'STALE_VERSION',
    'RAMP_ACTIVE',
    'EXPERIMENT_ACTIVE',
    'RAMP_INVALID',
    'LIMIT_REACHED',
  ],
});
export const pauseRamp = route({
  id: 'ramps.pause',
  method: 'POST',
  path: `${path}/pause`,
  summary: 'Pause a ramp at the current step',
  auth: 'user',
  permission: 'flags:write',
  status: 200,
  body: CommentBody.optional(),
  response: Ramp,
  errors: [...errors, 'RAMP_STATE'],
});
export const resumeRamp = route({
  id: 'ramps.resume',
  method: 'POST',
  path: `${path}/resume`,
  summary: 'Resume a ramp with the remaining time of the current step',
  auth: 'user',
  permission: 'flags:write',
  status: 200,
  body: CommentBody.optional(),
  response: Ramp,
  errors: [...errors, 'RAMP_STATE'],
});
export const abortRamp = route({
  id: 'ramps.abort',
  method: 'POST',
  path: `${path}/abort`,
  summary: 'Roll a ramp back to what was served before it',
  auth: 'user',
  permission: 'flags:write',
  status: 200,
  body: CommentBody.optional(),
  response: Ramp,
  errors: [...errors, 'RAMP_STATE'],
});
