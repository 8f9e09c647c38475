import { z } from 'zod';
import { FlagKey, Key } from '../primitives.ts';
import { route } from '../route.ts';
import { FlagChange } from './flag-changes.ts';
import { createFlag, setPrerequisites, setTargeting, updateFlag } from './flags.ts';
import { createSegment, updateSegment } from './segments.ts';
import { Submission } from './targeting.ts';

/** `bypass_approval` is set once for the whole batch. */
const ofBatch = { bypass_approval: true } as const;

/** The bodies of the single-write routes, plus their path parameters. */
export const BatchWrite = z.discriminatedUnion('write', [
  createSegment.body.extend({ write: z.literal('create_segment') }),
  updateSegment.body.omit(ofBatch).extend({ write: z.literal('update_segment'), segment: Key }),
  createFlag.body.extend({ write: z.literal('create_flag') }),
  updateFlag.body.omit(ofBatch).extend({ write: z.literal('update_flag'), flag: FlagKey }),
  setPrerequisites.body.omit(ofBatch).extend({ write: z.literal('set_prerequisites'), flag: FlagKey }),
  setTargeting.body.omit(ofBatch).extend({ write: z.literal('set_targeting'), flag: FlagKey, environment: Key }),
]);
export type BatchWrite = z.output<typeof BatchWrite>;

/** Of one request, which is one transaction. `FANION_FLAG_BATCH_WRITES` lowers it. */
export const maxBatchWrites = 100_000;

export const writeBatch = route({
  id: 'flags.batch',
  example: {
    body: {
      writes: [
        { write: 'create_segment', key: 'beta', name: 'Beta users', included: ['user-1'] },
        { write: 'create_flag', key: 'new-checkout', name: 'New checkout', kind: 'boolean' },
      ],
    },
  },
  bodyLimit: 'batch',
  method: 'POST',
  path: '/workspaces/{ws}/projects/{p}/flag-batches',
  summary: 'Write flags, segments and targeting, all or nothing',
  description:
    'The writes run in order, in one transaction; each sees the results of those before it. If one is rejected, nothing is written, and the error details name it: `writes.3.fallthrough`. `version` is the version before the batch. A write without a `comment` gets that of the batch. A write to an environment that requires approval waits for it.',
  auth: 'user',
  permission: 'flags:write',
  status: 200,
  body: z.strictObject({ writes: z.array(BatchWrite).min(1).max(maxBatchWrites), ...Submission }),
  response: z.object({
    results: z.array(
      z.object({
        status: z.enum(['applied', 'waiting']),
        change: FlagChange.nullable().meta({ description: 'the change that waits for approval' }),
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
    'EXPERIMENT_ACTIVE',
    'LIMIT_REACHED',
  ],
});
