import { z } from 'zod';
import { ProposedTargeting } from '../flags/targeting.ts';
import { Count, Time } from '../primitives.ts';
import { route } from '../route.ts';

const Variant = z.string().nullable().meta({ description: 'null: the code default' });

export const FlagReplay = z.object({
  from: Time,
  to: Time,
  units: Count.meta({ description: 'units that were evaluated in the window, as far as they are recorded' }),
  replayed: Count.meta({ description: 'units whose variant under the proposed targeting is certain' }),
  changed: Count.meta({ description: 'those of them that get another variant than now' }),
  moves: z
    .array(z.object({ from: Variant, to: Variant, units: Count }))
    .meta({ description: 'the changes, most units first' }),
  examples: z
    .array(z.object({ unit: z.string(), from: Variant, to: Variant }))
    .meta({ description: 'units that change, at most 10' }),
  uncertain: z.array(z.object({ reads: z.string(), units: Count })).meta({
    description:
      'units that cannot be replayed, by what decides about them: an attribute, which is not stored with evaluations, or `prerequisites`',
  }),
  skipped: Count.meta({ description: 'units beyond the limit of one replay, the earliest ones' }),
  without_unit: Count.meta({ description: 'evaluations of which only the number is recorded' }),
});

export const replayFlag = route({
  id: 'flags.replay',
  bodyLimit: 'bulk',
  example: {
    body: { enabled: true, off_variant: 'false', fallthrough: { variant: 'true' }, targets: [], rules: [] },
  },
  method: 'POST',
  path: '/workspaces/{ws}/projects/{p}/environments/{e}/flags/{key}/replay',
  summary: 'Evaluate a proposed targeting for the units of the last hour, without saving it',
  description:
    'Compares what each unit gets now with what it would get. Of a past evaluation the unit is stored, and no other attribute: units about which another attribute decides are counted as `uncertain`, not guessed.',
  auth: 'user',
  permission: 'flags:read',
  alsoNeeds: 'telemetry:query',
  reads: true,
  status: 200,
  body: ProposedTargeting,
  response: FlagReplay,
  errors: [
    'FLAG_NOT_FOUND',
    'FLAG_ARCHIVED',
    'NOT_FOUND',
    'TARGETING_INVALID',
    'RAMP_ACTIVE',
    'EXPERIMENT_ACTIVE',
    'PERMISSION_DENIED',
    'QUERY_TOO_EXPENSIVE',
    'QUERY_QUEUE_FULL',
    'STORE_UNAVAILABLE',
  ],
});
