import { z } from 'zod';

export const MetricSource = z.string().min(1).max(16_384);

/** A metric by its id or its key; built-in metrics have their key as id. */
export const MetricRef = z
  .string()
  .min(1)
  .max(128)
  .meta({ description: 'a metric, by id or key', examples: ['error_rate'] });

export const Direction = z.enum(['up_is_good', 'down_is_good']);

/** Confidence interval; null where there are too few data for one. */
export const Interval = z.tuple([z.number(), z.number()]).nullable();

/** Shares against the intended weights. */
export const SampleRatio = z.object({
  ok: z.boolean().meta({ description: 'false: the shares do not fit the weights, so the numbers cannot be trusted' }),
  p_value: z.number().nullable().meta({ description: 'of the sequential multinomial test; null with too few units' }),
  chi_squared_p: z.number().nullable(),
  observed: z.record(z.string(), z.number()).meta({ description: 'units by variant' }),
  expected: z.record(z.string(), z.number()).meta({ description: 'expected units by variant' }),
  crossed: z.number().meta({ description: 'units that saw several variants; they are left out' }),
});
export type SampleRatio = z.output<typeof SampleRatio>;
