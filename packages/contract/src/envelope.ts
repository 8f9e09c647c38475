import { z } from 'zod';
import { HttpStatus } from './primitives.ts';

export const ErrorBody = z.object({
  code: z.string().regex(/^[A-Z]+-\d{4}$/),
  message: z.string(),
  status: HttpStatus,
  details: z.array(z.looseObject({ path: z.string(), message: z.string() })).optional(),
});
export type ErrorBody = z.output<typeof ErrorBody>;

export const Meta = z.looseObject({ request_id: z.string() });
export type Meta = z.output<typeof Meta> & { next_cursor?: string | null };

/** Of a list. */
export const PageMeta = z.looseObject({ request_id: z.string(), next_cursor: z.string().nullable() });

export const ErrorEnvelope = z.object({ data: z.null(), error: ErrorBody, meta: Meta });
export type Envelope<T> = { data: T; error: null; meta: Meta } | { data: null; error: ErrorBody; meta: Meta };
