import { z } from 'zod';
import { FlagKey, Key } from '../primitives.ts';
import { route } from '../route.ts';
import { FlagChange } from './flag-changes.ts';
import { createFlag, setPrerequisites, setTargeting, updateFlag } from './flags.ts';
import { createSegment, updateSegment } from './segments.ts';
import { Submission } from './targeting.ts';

/** Whether to go past approval is asked once for the batch. */
const ofBatch = { bypass_approval: true } as const;

/** The bodies of the routes that do one of these writes, with what their paths name. */
export const BatchWrite = z.discriminatedUnion('write', [
  createSegment.body.extend({ write: z.literal('create_segment') }),
  updateSegment.body.omit(ofBatch).extend({ write: z.literal('update_segment'), segment: Key }),
  createFlag.body.extend({ write: z.literal('create_flag') }),
  updateFlag.body.omit(ofBatch).extend({ write: z.literal('update_flag'), flag: FlagKey }),
  setPrerequisites.body.omit(ofBatch).extend({ write: z.literal('set_prerequisites'), flag: FlagKey }),
  setTargeting.body.omit(ofBatch).extend({ write: z.literal('set_targeting'), flag: FlagKey, environment: Key }),
]);
export type BatchWrite = z.output<typeof BatchWrite>;

export const writeBatch = route({
  id: 'flags.batch',
  method: 'POST',
  path: '/workspaces/{ws}/projects/{p}/flag-batches',
  summary: 'Write flags, segments and what they serve: all of it, or nothing',
  description:
    'The writes are done in their order, in one transaction; each sees those before it. Where one is refused, nothing is written, and the details of the error name it: `writes.3.fallthrough`. A `version` is the one from before the batch; a write without a `comment` has that of the batch. Where an environment needs approval, the write waits for it.',
  auth: 'user',
  permission: 'flags:write',
  status: 200,
  body: z.strictObject({ writes: z.array(BatchWrite).min(1).max(1_000), ...Submission }),
  response: z.object({
    results: z.array(
      z.object({
        status: z.enum(['applied', 'waiting']),
        change: FlagChange.nullable().meta({ description: 'what waits for approval' }),
      }),
    ),
  }),
  errors: [
    'FLAG_EXISTS',
    'KEY_TAKEN',
    'FLAG_NOT_FOUND',
    'SEGMENT_NOT_FOUND',
    'FLAG_ARCHIVED',
    'FLAG_IN_USE',
    'VARIANT_IN_USE',
    'STALE_VERSION',
    'TARGETING_INVALID',
    'PREREQUISITES_INVALID',
    'PREREQUISITE_CYCLE',
    'SEGMENT_INVALID',
    'SEGMENT_CYCLE',
    'RAMP_ACTIVE',
    'LIMIT_REACHED',
  ],
});
