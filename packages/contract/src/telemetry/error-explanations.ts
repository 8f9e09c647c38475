import { z } from 'zod';
import { TimeInput, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';
import { Why } from './why.ts';

export const explainErrorGroup = route({
  id: 'error_groups.explain',
  example: { query: { project: 'default' } },
  method: 'GET',
  path: '/workspaces/{ws}/error-groups/{id}/explanation',
  summary: 'Rank what causes an error',
  description:
    'Compares the traces with the error with all others of its services in the window. One trace counts once. The verdict is `unknown` where too few traces have the error, such as for errors of log records without a trace.',
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  query: {
    from: TimeInput.optional(),
    to: WindowEnd.optional(),
    project: z.string().min(1).max(128),
    environment: z.string().max(128).optional(),
  },
  response: z.object({ why: Why.meta({ description: 'the causes of the error, the likeliest first' }) }),
  errors: [
    'ERROR_GROUP_NOT_FOUND',
    'WINDOW_INVALID',
    'QUERY_TOO_EXPENSIVE',
    'QUERY_QUEUE_FULL',
    'STORE_UNAVAILABLE',
    'NOT_FOUND',
  ],
});
