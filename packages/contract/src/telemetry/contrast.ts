import { z } from 'zod';
import { TimeInput, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';

const Duration = z
  .string()
  .regex(/^\d{1,15}(\.\d{1,6})?(ns|us|ms|s|m|h)$/, 'a duration is a number with a unit, such as 250ms')
  .meta({ examples: ['250ms'] });
const Selection = z.strictObject({
  where: z
    .string()
    .min(1)
    .max(20_000)
    .optional()
    .meta({ description: 'a condition in OQL', examples: ['status == error'] }),
  from: TimeInput.optional(),
  to: WindowEnd.optional(),
  min_duration: Duration.optional().meta({ description: 'of spans, inclusive' }),
  max_duration: Duration.optional().meta({ description: 'of spans, exclusive' }),
});
const Side = z.object({ rows: z.number().int() });

export const contrastSelections = route({
  id: 'contrast.run',
  example: { body: { selection: { where: 'status == error' } } },
  method: 'POST',
  path: '/workspaces/{ws}/contrast',
  summary: 'What tells two selections of spans or logs apart',
  description:
    'The values of every attribute in both, the attributes that tell them apart best first. Ranked by Cramér’s V with the bias correction of Bergsma (2013): 0 where an attribute is alike in both (also for ids, which differ in every row), 1 where it says for certain which side a row is of. Attributes that the conditions name are left out.',
  auth: 'user',
  scopeIn: 'body',
  permission: 'telemetry:query',
  reads: true,
  status: 200,
  body: z.strictObject({
    source: z.enum(['spans', 'logs']).default('spans'),
    from: TimeInput.optional(),
    to: WindowEnd.optional(),
    project: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
    where: z.string().min(1).max(20_000).optional().meta({ description: 'of the rows on both sides, in OQL' }),
    selection: Selection,
    baseline: Selection.optional().meta({
      description: 'the rest of the rows where it is left out; never rows of the selection',
    }),
    limit: z.number().int().min(1).max(500).default(50),
  }),
  response: z.object({
    statistic: z.literal('cramers_v_bias_corrected'),
    selection: Side,
    baseline: Side,
    sample: z
      .number()
      .nullable()
      .meta({ description: 'share of the rows that was counted; null: all of them, the counts are exact' }),
    fields: z.array(
      z.object({
        field: z.string(),
        score: z.number().meta({ description: 'Cramér’s V, 0 to 1' }),
        distinct: z.number().int().meta({ description: 'different values' }),
        missing: z.object({ selection: z.number(), baseline: z.number() }).meta({ description: 'shares without it' }),
        values: z
          .array(
            z.object({
              value: z.string(),
              selection: z.number().int(),
              baseline: z.number().int(),
              selection_share: z.number(),
              baseline_share: z.number(),
            }),
          )
          .meta({ description: 'at most 20, those whose shares differ most first' }),
      }),
    ),
  }),
  errors: [
    'OQL_INVALID',
    'WINDOW_INVALID',
    'QUERY_TOO_EXPENSIVE',
    'RESULT_TOO_LARGE',
    'QUERY_QUEUE_FULL',
    'STORE_UNAVAILABLE',
  ],
});
