import { z } from 'zod';

const text = z.string().optional();

/** Whose telemetry a request of another product's client reads, in the query of its address. */
export const ForeignPlace = {
  project: text.meta({ description: 'id or key of a project; default: that of the token, or all' }),
  environment: text.meta({ description: 'key of an environment; default: that of the token, or all' }),
};

/** What all routes have for clients of other products that read telemetry. */
export const foreignRead = {
  auth: 'user',
  permission: 'telemetry:query',
  callerWorkspace: true,
  scopeIn: 'query',
  isForeign: true,
  bodies: 'protocol',
} as const;
