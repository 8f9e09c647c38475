import { z } from 'zod';

/** Anything that JSON can hold. */
export const JsonValue: z.ZodType<unknown> = z
  .unknown()
  .meta({ description: 'any JSON, with arrays and objects nested at most 64 levels deep' });
