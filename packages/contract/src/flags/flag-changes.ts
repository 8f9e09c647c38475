import { z } from 'zod';
import { Id, Time, TimeInput, Version } from '../primitives.ts';
import { route } from '../route.ts';
import { VersionIfKnown } from '../versions.ts';
import { Difference } from './difference.ts';
import { CommentBody, Submission, TargetingFields, TargetingRule } from './targeting.ts';

const projectPath = '/workspaces/{ws}/projects/{p}';
const targetingPath = `${projectPath}/environments/{e}/flags/{key}` as const;

export const ChangeKind = z.enum([
  'targeting',
  'flag',
  'prerequisites',
  'segment',
  'ramp',
  'guarded_release',
  'experiment',
]);
export const ChangeStatus = z.enum(['pending', 'approved', 'scheduled', 'applied', 'rejected', 'cancelled', 'failed']);

/** A change that waits or waited for approval or for its time. */
export const FlagChange = z.object({
  id: Id,
  kind: ChangeKind,
  flag: z.string().nullable(),
  segment: z.string().nullable(),
  environment: z.string().nullable().meta({ description: 'null: it affects every environment of the project' }),
  status: ChangeStatus,
  diff: z.array(Difference),
  base_version: Version.meta({
    description: 'the version it was made for; a different version when it is applied is a conflict',
  }),
  comment: z.string().nullable(),
  apply_at: Time.nullable(),
  created_at: Time,
  created_by: z.string().nullable(),
  created_by_id: Id.nullable(),
  reviewed_at: Time.nullable(),
  reviewed_by: z.string().nullable(),
  review_comment: z.string().nullable(),
  applied_at: Time.nullable(),
  failure: z.string().nullable().meta({ description: 'why the change could not be applied' }),
});
export type FlagChange = z.output<typeof FlagChange>;

/** A change that took effect. */
export const HistoryEntry = z.object({
  id: Id,
  at: Time,
  actor: z.object({ type: z.enum(['user', 'token', 'system']), id: z.string().nullable(), name: z.string() }),
  kind: z.enum(['created', 'targeting', 'flag', 'prerequisites', 'ramp', 'guarded_release', 'experiment']),
  environment: z.string().nullable(),
  version: Version,
  flag_version: Version.nullable(),
  comment: z.string().nullable(),
  diff: z.array(Difference),
  change_id: Id.nullable(),
  restorable: z.boolean(),
});
/** A change that took effect, with the targeting that restoring it brings back. */
export const HistoryVersion = HistoryEntry.extend({
  targeting: z
    .object({ ...TargetingFields, rules: z.array(TargetingRule) })
    .nullable()
    .meta({ description: 'null unless it can be restored to one environment' }),
});

export const listDeferredChanges = route({
  id: 'flags.list_deferred_changes',
  method: 'GET',
  path: `${targetingPath}/changes`,
  summary: 'List deferred changes of a flag in an environment',
  auth: 'user',
  permission: 'flags:read',
  list: true,
  query: { status: ChangeStatus.optional() },
  response: FlagChange,
  errors: ['FLAG_NOT_FOUND'],
});
export const deferChange = route({
  id: 'flags.defer_change',
  bodyLimit: 'bulk',
  example: { body: { patch: { enabled: true }, apply_at: 'now+1h' } },
  method: 'POST',
  path: `${targetingPath}/changes`,
  summary: 'Schedule a targeting change, or request a review of it',
  description:
    'With `apply_at`, the server applies the patch at that time, after approval if the environment requires it. Without it, the change waits until another person approves it. Fields that the patch omits stay unchanged.',
  auth: 'user',
  permission: 'flags:write',
  body: z.strictObject({
    patch: z
      .strictObject(TargetingFields)
      .partial()
      .refine((patch) => Object.keys(patch).length > 0, 'must contain at least one field')
      .meta({ minProperties: 1 }),
    apply_at: TimeInput.optional(),
    version: VersionIfKnown,
    comment: Submission.comment,
  }),
  response: FlagChange,
  errors: [
    'FLAG_NOT_FOUND',
    'FLAG_ARCHIVED',
    'STALE_VERSION',
    'TARGETING_INVALID',
    'RAMP_ACTIVE',
    'EXPERIMENT_ACTIVE',
    'LIMIT_REACHED',
    'WINDOW_INVALID',
  ],
});

export const listFlagChanges = route({
  id: 'flag_changes.list',
  method: 'GET',
  path: `${projectPath}/flag-changes`,
  summary: 'List deferred changes, newest first',
  auth: 'user',
  permission: 'flags:read',
  list: true,
  query: {
    status: ChangeStatus.optional(),
    flag: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
  },
  response: FlagChange,
  errors: ['FLAG_NOT_FOUND'],
});
const reviewErrors = ['CHANGE_NOT_FOUND', 'CHANGE_STATE'] as const;
export const approveFlagChange = route({
  id: 'flag_changes.approve',
  method: 'POST',
  path: `${projectPath}/flag-changes/{id}/approve`,
  summary: "Approve another person's change; it is applied at once or at its scheduled time",
  auth: 'user',
  permission: 'flags:approve',
  status: 200,
  body: CommentBody.optional(),
  response: FlagChange,
  errors: [...reviewErrors, 'SELF_APPROVAL', 'CHANGE_KIND_UNKNOWN'],
});
export const rejectFlagChange = route({
  id: 'flag_changes.reject',
  method: 'POST',
  path: `${projectPath}/flag-changes/{id}/reject`,
  summary: 'Reject a change',
  auth: 'user',
  permission: 'flags:approve',
  status: 200,
  body: CommentBody.optional(),
  response: FlagChange,
  errors: reviewErrors,
});
export const cancelFlagChange = route({
  id: 'flag_changes.cancel',
  method: 'POST',
  path: `${projectPath}/flag-changes/{id}/cancel`,
  summary: 'Cancel a change that has not been applied',
  auth: 'user',
  permission: 'flags:write',
  status: 200,
  body: CommentBody.optional(),
  response: FlagChange,
  errors: reviewErrors,
});

export const listHistory = route({
  id: 'flags.history',
  method: 'GET',
  path: `${projectPath}/flags/{key}/changes`,
  summary: 'List the history of a flag, newest first',
  auth: 'user',
  permission: 'flags:read',
  list: true,
  query: { environment: z.string().max(128).optional() },
  response: HistoryEntry,
  errors: ['FLAG_NOT_FOUND'],
});
export const getHistoryVersion = route({
  id: 'flags.history_version',
  method: 'GET',
  path: `${projectPath}/flags/{key}/changes/{id}`,
  summary: 'Get a change of the history with the targeting that restoring it brings back',
  auth: 'user',
  permission: 'flags:read',
  response: HistoryVersion,
  errors: ['FLAG_NOT_FOUND', 'CHANGE_NOT_FOUND'],
});
export const getPreviousVersion = route({
  id: 'flags.previous_version',
  method: 'GET',
  path: `${targetingPath}/previous`,
  summary: 'Get the version that a rollback of the flag in an environment restores',
  description:
    'The latest earlier version with another targeting. The steps of a ramp are one change: the version is the one before the ramp.',
  auth: 'user',
  permission: 'flags:read',
  response: HistoryVersion,
  errors: ['FLAG_NOT_FOUND', 'FLAG_ARCHIVED', 'NO_PREVIOUS_VERSION'],
});
export const restoreFlag = route({
  id: 'flags.restore',
  method: 'POST',
  path: `${projectPath}/flags/{key}/changes/{id}/restore`,
  summary: 'Restore the state after a change, as a new change',
  auth: 'user',
  permission: 'flags:write',
  status: 200,
  otherStatus: 202,
  accepted: FlagChange,
  body: z.strictObject({ version: VersionIfKnown, ...Submission }).optional(),
  response: HistoryEntry,
  errors: [
    'FLAG_NOT_FOUND',
    'FLAG_ARCHIVED',
    'CHANGE_NOT_FOUND',
    'STALE_VERSION',
    'TARGETING_INVALID',
    'PREREQUISITES_INVALID',
    'PREREQUISITE_CYCLE',
    'VARIANT_IN_USE',
    'FLAG_IN_USE',
    'RAMP_ACTIVE',
    'EXPERIMENT_ACTIVE',
    'LIMIT_REACHED',
  ],
});
