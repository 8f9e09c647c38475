import { z } from 'zod';
import { TimeInput } from '../primitives.ts';
import { route } from '../route.ts';

export const tailTelemetry = route({
  id: 'tail.stream',
  example: { query: { seconds: '0' } },
  method: 'GET',
  path: '/workspaces/{ws}/tail',
  summary: 'Stream spans or logs as they arrive (server-sent events)',
  description: [
    'Polls once a second for new records, spans by their end. Events: `ready` once, with `columns`; `row`, an object by',
    'column, its id the time in nanoseconds (`Last-Event-ID` resumes there); `dropped` with `count`, `from` and `to` if more',
    'than 500 matched in one poll; `error` with `code` and `message` before the server ends the stream. The server sends a',
    'comment at least every 15 s. It omits records that arrive more than 30 s after their time, and spans of more than',
    '5 minutes. It disconnects a client that leaves 1 MB unread.',
  ].join(' '),
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  bodies: 'protocol',
  media: 'text/event-stream',
  query: {
    source: z.enum(['spans', 'logs']).default('logs'),
    where: z
      .string()
      .min(1)
      .max(20_000)
      .optional()
      .meta({ description: 'a condition in OQL', examples: ['severity >= error'] }),
    from: TimeInput.optional().meta({ description: 'at most 30 s ago; 10 s ago by default' }),
    seconds: z.coerce
      .number()
      .int()
      .min(0)
      .max(86_400)
      .optional()
      .meta({ description: 'ends the stream after this many seconds; unlimited by default' }),
    project: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
  },
  response: z.string().meta({
    examples: ['event: row\nid: 1795426200000000000\ndata: {"service.name":"checkout","body":"payment timeout"}\n\n'],
  }),
  errors: [
    'OQL_INVALID',
    'WINDOW_INVALID',
    'QUERY_QUEUE_FULL',
    'QUERY_TOO_EXPENSIVE',
    'RESULT_TOO_LARGE',
    'STORE_UNAVAILABLE',
    'UNAUTHENTICATED',
    'WRONG_CREDENTIAL',
    'PERMISSION_DENIED',
    'NOT_FOUND',
    'INVALID_QUERY',
    'RATE_LIMITED',
    'INTERNAL',
  ],
});
