import { z } from 'zod';

/** Anything that JSON can hold. */
export const JsonValue: z.ZodType<unknown> = z.unknown();
