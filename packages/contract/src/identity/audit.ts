import { z } from 'zod';
import { Id, SearchText, Time, TimeInput, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';

export const AuditEntry = z.object({
  id: Id,
  at: Time,
  action: z.string(),
  actor: z.object({ type: z.enum(['user', 'token', 'system']), id: z.string().nullable(), name: z.string() }),
  resource: z.object({ type: z.string(), id: z.string(), name: z.string().nullable() }),
  project: z.string().nullable().meta({ description: 'key' }),
  environment: z.string().nullable().meta({ description: 'key' }),
  before: z.unknown(),
  after: z.unknown(),
  ip: z.string().nullable(),
  request_id: z.string().nullable(),
});
export const listAudit = route({
  id: 'audit.list',
  method: 'GET',
  path: '/audit',
  summary: 'List audit log entries, newest first',
  auth: 'user',
  permission: 'audit:read',
  callerWorkspace: true,
  list: true,
  query: {
    action: SearchText.optional().meta({ description: 'operation id such as roles.create, or its area: roles' }),
    actor: SearchText.optional().meta({ description: 'user or token id' }),
    resource_type: SearchText.optional(),
    resource_id: SearchText.optional(),
    from: TimeInput.optional(),
    to: WindowEnd.optional(),
  },
  response: AuditEntry,
  errors: ['WINDOW_INVALID'],
});
