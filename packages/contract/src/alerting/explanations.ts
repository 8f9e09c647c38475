import { z } from 'zod';
import { Time } from '../primitives.ts';
import { route } from '../route.ts';
import { Why } from '../telemetry/why.ts';

export const AlertExplanation = z.object({
  window: z
    .object({ from: Time, to: Time })
    .meta({ description: 'the time until it fired whose rows are compared, at least an hour' }),
  failing: z
    .string()
    .nullable()
    .meta({
      description: 'condition in OQL of the rows that make it fire; null: the query does not single out rows',
      examples: ['status == error'],
    }),
  why: Why.meta({ description: 'the causes of the failing rows, the likeliest first' }),
  traces: z
    .array(z.object({ trace_id: z.string(), time: Time, service: z.string().nullable(), name: z.string() }))
    .meta({ description: 'traces of failing rows, the slowest first for spans, the newest first for logs' }),
  changes: z
    .array(
      z.object({
        time: Time,
        kind: z.enum(['flag', 'deploy']),
        name: z.string().meta({ description: 'key of the flag, or service' }),
        detail: z.string().meta({ description: 'what changed, or the new version' }),
        environment: z.string().nullable(),
        actor: z.string().nullable(),
      }),
    )
    .meta({ description: 'changes of flags and first requests of new versions in the hour before, the newest first' }),
});

export const explainAlertInstance = route({
  id: 'alert_instances.explain',
  method: 'GET',
  path: '/workspaces/{ws}/alert-instances/{id}/explanation',
  summary: 'Explain why an instance fired',
  description:
    'Compares the rows that make it fire with the others, and ranks what caused them: flags by variant, deploys and attributes. Also lists example traces and the changes of flags and versions before it. Rules over `spans` or `logs` that count or rate rows by a condition, or compare a number of a row, can be explained; for others, the verdict is `unknown`, and only changes are listed.',
  auth: 'user',
  permission: 'alerts:read',
  alsoNeeds: 'telemetry:query',
  response: AlertExplanation,
  errors: ['PERMISSION_DENIED', 'QUERY_TOO_EXPENSIVE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE'],
});
