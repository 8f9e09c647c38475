import { z } from 'zod';
import { Time, TimeInput, Version, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';
import { MetricRef, SampleRatio } from './primitives.ts';

const Share = z.number().nullable();

export const FlagRollout = z.object({
  flag: z.string(),
  environment: z.string(),
  from: Time,
  to: Time,
  evaluations: z.number(),
  units: z.number().meta({ description: 'units that were seen, in any variant' }),
  crossed_units: z.number().meta({ description: 'units that saw several variants in the window' }),
  crossed_examples: z
    .array(z.object({ unit: z.string(), variants: z.array(z.string()) }))
    .meta({ description: 'some of them' }),
  sample_ratio: SampleRatio.nullable().meta({ description: 'null unless a tracked split is served to everyone else' }),
  variants: z.array(
    z.object({
      variant: z.string(),
      evaluations: z.number(),
      units: z.number(),
      share: Share.meta({ description: 'of all units' }),
      intended: Share.meta({ description: 'of the split that is served to everyone else now' }),
      requests: z.number().meta({ description: 'entry spans in the traces that saw the variant' }),
      errors: z.number(),
      error_rate: Share,
      p50_ms: Share,
      p95_ms: Share,
      metric: z.object({ value: Share, units: z.number() }).nullable(),
    }),
  ),
  reasons: z.array(z.object({ reason: z.string(), evaluations: z.number() })),
  versions: z.array(z.object({ version: z.string(), evaluations: z.number(), first_at: Time, last_at: Time })),
  step_seconds: z.number(),
  series: z.array(
    z.object({ time: Time, variant: z.string(), reason: z.string(), version: z.string(), evaluations: z.number() }),
  ),
  unit_series: z.array(z.object({ time: Time, variant: z.string(), units: z.number() })),
  changes: z.array(
    z.object({
      id: z.string(),
      at: Time,
      kind: z.string(),
      actor: z.string(),
      comment: z.string().nullable(),
      flag_version: Version.nullable(),
    }),
  ),
  changes_truncated: z.boolean().meta({ description: 'there are more changes in the window; these are the latest' }),
  note: z.string().nullable().meta({ description: 'why there are no exposures, with what to do' }),
});

export const getRollout = route({
  id: 'rollout.get',
  method: 'GET',
  path: '/workspaces/{ws}/projects/{p}/environments/{e}/flags/{key}/rollout',
  summary: 'Get what a flag served in a window, to whom, and what their requests were like',
  description: 'An evaluation that a client has reported counts in place of the one that the server has counted.',
  auth: 'user',
  permission: 'flags:read',
  alsoNeeds: 'telemetry:query',
  query: {
    from: TimeInput.optional(),
    to: WindowEnd.optional(),
    metric: MetricRef.optional().meta({ description: 'also measures this metric for each variant' }),
  },
  response: FlagRollout,
  errors: [
    'FLAG_NOT_FOUND',
    'NOT_FOUND',
    'PERMISSION_DENIED',
    'WINDOW_INVALID',
    'QUERY_TOO_EXPENSIVE',
    'QUERY_QUEUE_FULL',
    'STORE_UNAVAILABLE',
  ],
});
