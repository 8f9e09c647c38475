import { z } from 'zod';
import { Id, Time, TimeInput } from './primitives.ts';
import { route } from './route.ts';

export const AuditEntry = z.object({
  id: Id,
  at: Time,
  action: z.string(),
  actor: z.object({ type: z.enum(['user', 'token', 'system']), id: z.string().nullable(), name: z.string() }),
  resource: z.object({ type: z.string(), id: z.string(), name: z.string().nullable() }),
  project: z.string().nullable(),
  environment: z.string().nullable(),
  before: z.unknown(),
  after: z.unknown(),
  ip: z.string().nullable(),
  request_id: z.string().nullable(),
});
export const listAudit = route({
  id: 'audit.list',
  method: 'GET',
  path: '/audit',
  summary: 'Who changed what, newest first',
  auth: 'user',
  permission: 'audit:read',
  callerWorkspace: true,
  list: true,
  query: {
    action: z.string().max(100).optional(),
    actor: z.string().max(128).optional(),
    resource_type: z.string().max(100).optional(),
    resource_id: z.string().max(200).optional(),
    from: TimeInput.optional(),
    to: TimeInput.optional(),
  },
  response: AuditEntry,
  errors: ['WINDOW_INVALID'],
});
