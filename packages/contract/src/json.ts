import { z } from 'zod';

/** Any JSON value. */
export const JsonValue: z.ZodType<unknown> = z
  .unknown()
  .meta({ description: 'any JSON; arrays and objects nest at most 64 levels deep' });
