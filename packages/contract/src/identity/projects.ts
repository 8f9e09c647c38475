import { z } from 'zod';
import { Id, Key, Name, SearchText, Time } from '../primitives.ts';
import { route } from '../route.ts';

const Days = z.number().int().min(1).max(3650);
/** Retention of a signal. */
const RetentionDays = Days.nullable().meta({
  description: "days, one of the server's retention classes; null: the server's default",
});

export const Project = z.object({
  id: Id,
  key: z.string(),
  name: z.string(),
  retention: z
    .object({ traces: RetentionDays, logs: RetentionDays, metrics: RetentionDays, profiles: RetentionDays })
    .meta({ description: 'retention of telemetry that arrives from now on' }),
  retention_classes: z
    .object({ default: Days, allowed: z.array(Days) })
    .meta({ description: 'what this server allows; the same for all projects' }),
  created_at: Time,
});
export const Environment = z.object({
  id: Id,
  key: z.string(),
  name: z.string(),
  requires_approval: z.boolean(),
  created_at: Time,
});
const Confirm = { confirm: z.string().max(200).optional().meta({ description: 'the name of the resource to delete' }) };

export const listProjects = route({
  id: 'projects.list',
  method: 'GET',
  path: '/workspaces/{ws}/projects',
  summary: 'List projects',
  auth: 'user',
  permission: 'workspace:read',
  list: true,
  query: { search: SearchText.optional() },
  response: Project,
});
export const createProject = route({
  id: 'projects.create',
  example: { body: { name: 'Checkout' } },
  method: 'POST',
  path: '/workspaces/{ws}/projects',
  summary: 'Create a project with the environments production and development',
  auth: 'user',
  permission: 'projects:write',
  body: z.strictObject({ name: Name, key: Key.optional() }),
  response: Project,
  errors: ['KEY_TAKEN', 'LIMIT_REACHED'],
});
export const updateProject = route({
  id: 'projects.update',
  example: { body: { name: 'Checkout' } },
  method: 'PATCH',
  path: '/workspaces/{ws}/projects/{p}',
  summary: 'Rename a project, or change the retention of its telemetry',
  description:
    'A new retention applies to telemetry that arrives after the change; telemetry stored before keeps its retention.',
  auth: 'user',
  permission: 'projects:write',
  body: z.strictObject({
    name: Name.optional(),
    retention: z
      .strictObject({
        traces: RetentionDays.optional(),
        logs: RetentionDays.optional(),
        metrics: RetentionDays.optional(),
        profiles: RetentionDays.optional(),
      })
      .optional(),
  }),
  response: Project,
});
export const removeProject = route({
  id: 'projects.remove',
  method: 'DELETE',
  path: '/workspaces/{ws}/projects/{p}',
  summary: 'Delete a project and everything in it',
  auth: 'user',
  permission: 'projects:write',
  query: Confirm,
  errors: ['CONFIRMATION_REQUIRED'],
});

export const listEnvironments = route({
  id: 'environments.list',
  method: 'GET',
  path: '/workspaces/{ws}/projects/{p}/environments',
  summary: 'List environments',
  auth: 'user',
  permission: 'workspace:read',
  list: true,
  response: Environment,
});
export const createEnvironment = route({
  id: 'environments.create',
  example: { body: { key: 'staging', name: 'Staging' } },
  method: 'POST',
  path: '/workspaces/{ws}/projects/{p}/environments',
  summary: 'Create an environment',
  auth: 'user',
  permission: 'environments:write',
  body: z.strictObject({ key: Key, name: Name, requires_approval: z.boolean().default(false) }),
  response: Environment,
  errors: ['KEY_TAKEN', 'LIMIT_REACHED'],
});
export const updateEnvironment = route({
  id: 'environments.update',
  example: { body: { name: 'Production' } },
  method: 'PATCH',
  path: '/workspaces/{ws}/projects/{p}/environments/{e}',
  summary: 'Change an environment',
  auth: 'user',
  permission: 'environments:write',
  body: z.strictObject({ name: Name.optional(), requires_approval: z.boolean().optional() }),
  response: Environment,
});
export const removeEnvironment = route({
  id: 'environments.remove',
  method: 'DELETE',
  path: '/workspaces/{ws}/projects/{p}/environments/{e}',
  summary: 'Delete an environment and everything in it',
  auth: 'user',
  permission: 'environments:write',
  query: Confirm,
  errors: ['CONFIRMATION_REQUIRED', 'LAST_ENVIRONMENT'],
});

export const SignalStatus = z.object({
  signal: z.enum(['traces', 'logs', 'metrics', 'profiles']),
  arrived: z.boolean(),
  last_at: Time.nullable(),
  items: z.number(),
  services: z.array(z.string()),
  sdks: z.array(z.object({ name: z.string(), language: z.string(), version: z.string() })),
});
export const getTelemetryStatus = route({
  id: 'projects.telemetry_status',
  method: 'GET',
  path: '/workspaces/{ws}/projects/{p}/telemetry-status',
  summary: 'Check whether telemetry has arrived, per signal, and list next steps',
  auth: 'user',
  permission: 'telemetry:query',
  response: z.object({
    arrived: z.boolean(),
    signals: z.array(SignalStatus),
    next_steps: z.array(z.object({ step: z.string(), text: z.string() })),
  }),
  errors: ['QUERY_TOO_EXPENSIVE', 'RESULT_TOO_LARGE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE'],
});
