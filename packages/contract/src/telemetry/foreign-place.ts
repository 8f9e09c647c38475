import { z } from 'zod';

const text = z.string().optional();

/** Whose telemetry a request of another product's client reads, in the query of its address. */
export const ForeignPlace = {
  project: text.meta({ description: 'id or key of a project; default: that of the token, or all' }),
  environment: text.meta({ description: 'key of an environment; default: that of the token, or all' }),
};
