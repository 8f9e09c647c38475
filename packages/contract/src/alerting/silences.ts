import { z } from 'zod';
import { Count, Id, Reference, Time, TimeInput } from '../primitives.ts';
import { route } from '../route.ts';
import { Matchers, MatchersOutput } from './matchers.ts';
import { LabelsOutput } from './primitives.ts';

const path = '/workspaces/{ws}/silences';

export const SilenceStatus = z.enum(['pending', 'active', 'expired']);
export const Silence = z.object({
  id: Id,
  status: SilenceStatus,
  matchers: MatchersOutput,
  starts_at: Time,
  ends_at: Time,
  comment: z.string(),
  matched: Count.meta({ description: 'alerts that fire now and match' }),
  created_by: Reference.nullable(),
  created_at: Time,
});

const SilenceMatchers = Matchers.min(1);

export const listSilences = route({
  id: 'silences.list',
  method: 'GET',
  path,
  summary: 'List silences, newest first; expired ones stay listed for 90 days',
  auth: 'user',
  permission: 'alerts:read',
  list: true,
  query: { status: SilenceStatus.optional() },
  response: Silence,
});
export const createSilence = route({
  id: 'silences.create',
  example: {
    body: {
      matchers: [{ name: 'service.name', op: '=', value: 'checkout' }],
      ends_at: 'now+1h',
      comment: 'Known: the payment provider is down',
    },
  },
  method: 'POST',
  path,
  summary: 'Create a silence',
  description:
    'Alerts that match are not notified while it is active. It must not match every alert: one matcher must refuse the empty label.',
  auth: 'user',
  permission: 'alerts:write',
  body: z.strictObject({
    matchers: SilenceMatchers,
    starts_at: TimeInput.optional().meta({ description: 'now by default', examples: ['now'] }),
    ends_at: TimeInput.meta({ examples: ['now+1h'] }),
    comment: z.string().trim().min(1).max(2_000),
  }),
  response: Silence,
  errors: ['SILENCE_INVALID', 'WINDOW_INVALID', 'LIMIT_REACHED'],
});
export const previewSilence = route({
  id: 'silences.preview',
  example: { body: { matchers: [{ name: 'service.name', op: '=', value: 'checkout' }] } },
  method: 'POST',
  path: `${path}/preview`,
  summary: 'Show which alerts a silence would match, without saving it',
  auth: 'user',
  permission: 'alerts:read',
  reads: true,
  body: z.strictObject({ matchers: SilenceMatchers }),
  response: z.object({
    matched: Count,
    instances: z
      .array(z.object({ id: Id, rule_id: Id, rule_name: z.string(), state: z.string(), labels: LabelsOutput }))
      .meta({ description: 'at most 100 of them' }),
  }),
  errors: ['SILENCE_INVALID'],
});
export const removeSilence = route({
  id: 'silences.remove',
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Expire a silence; it stays listed',
  auth: 'user',
  permission: 'alerts:write',
});
