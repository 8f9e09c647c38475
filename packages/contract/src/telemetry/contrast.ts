import { z } from 'zod';
import { Count, TimeInput, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';
import { Why } from './why.ts';

const Duration = z
  .string()
  .regex(/^\d{1,15}(\.\d{1,6})?(ns|us|ms|s|m|h)$/, 'a duration is a number with a unit, such as 250ms')
  .meta({ examples: ['250ms'] });
export const ContrastSelection = z.strictObject({
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
const Side = z.object({ rows: Count });

export const contrastSelections = route({
  id: 'contrast.run',
  example: { body: { selection: { where: 'status == error' } } },
  method: 'POST',
  path: '/workspaces/{ws}/contrast',
  summary: 'Compare two selections of spans or logs, and rank what caused the first',
  description:
    '`why` ranks the causes of the selection: flags by variant, deploys and attributes, with an effect, the share that each explains, and an action. One trace counts once. `fields` has the values of every attribute in both selections, the attributes that differ most first. Its score is Cramér’s V with the bias correction of Bergsma (2013): 0 if an attribute is distributed alike in both (also for ids, which differ in every row), 1 if it determines the side of a row. Attributes used in the conditions are omitted.',
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
    where: z
      .string()
      .min(1)
      .max(20_000)
      .optional()
      .meta({ description: 'condition on the rows of both sides, in OQL' }),
    selection: ContrastSelection,
    baseline: ContrastSelection.optional().meta({
      description: 'all other rows by default; never rows of the selection',
    }),
    limit: z
      .number()
      .int()
      .min(0)
      .max(500)
      .default(50)
      .meta({ description: 'of `fields`; with 0, they are not counted and only `why` is computed' }),
  }),
  response: z.object({
    statistic: z.literal('cramers_v_bias_corrected'),
    selection: Side,
    baseline: Side,
    sample: z
      .number()
      .nullable()
      .meta({ description: 'share of the rows that was counted; null: all rows, the counts are exact' }),
    why: Why.meta({ description: 'the causes of the selection, the likeliest first' }),
    fields: z.array(
      z.object({
        field: z.string(),
        score: z.number().meta({ description: 'Cramér’s V, 0 to 1' }),
        distinct: Count.meta({ description: 'number of distinct values' }),
        missing: z
          .object({ selection: z.number(), baseline: z.number() })
          .meta({ description: 'shares of rows without the field' }),
        values: z
          .array(
            z.object({
              value: z.string(),
              selection: Count,
              baseline: Count,
              selection_share: z.number(),
              baseline_share: z.number(),
            }),
          )
          .meta({ description: 'at most 20, those with the largest difference of shares first' }),
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
