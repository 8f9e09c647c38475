import { z } from 'zod';
import { Name, SearchText, Time, WebUrl } from '../primitives.ts';
import { route } from '../route.ts';

export const Service = z.object({
  name: z.string(),
  display_name: z.string().nullable(),
  owner: z.string().nullable(),
  team: z.string().nullable(),
  runbook_url: z.string().nullable(),
  repository_url: z.string().nullable(),
  tier: z.string().nullable(),
  tags: z.array(z.string()),
  first_seen_at: Time,
  last_seen_at: Time,
  signals: z.array(z.string()),
  projects: z.array(z.string()).meta({ description: 'keys' }),
  environments: z.array(z.string()),
});
const Text = Name.nullable().optional();

export const listServices = route({
  id: 'services.list',
  method: 'GET',
  path: '/services',
  summary: 'List services that sent telemetry',
  auth: 'user',
  permission: 'workspace:read',
  callerWorkspace: true,
  list: true,
  query: {
    search: SearchText.optional(),
    project: z.string().max(128).optional(),
    environment: SearchText.optional(),
  },
  response: Service,
  errors: ['QUERY_TOO_EXPENSIVE', 'RESULT_TOO_LARGE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE'],
});
export const getService = route({
  id: 'services.get',
  method: 'GET',
  path: '/services/{name}',
  summary: 'Get a service',
  auth: 'user',
  permission: 'workspace:read',
  callerWorkspace: true,
  response: Service,
  errors: ['SERVICE_NOT_FOUND', 'QUERY_TOO_EXPENSIVE', 'RESULT_TOO_LARGE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE'],
});
export const updateService = route({
  id: 'services.update',
  example: { body: { owner: 'ada@example.com' } },
  method: 'PATCH',
  path: '/services/{name}',
  summary: 'Set owner, team, runbook, repository, tier and tags',
  description: 'Omitted fields stay unchanged; null clears a field.',
  auth: 'user',
  permission: 'services:write',
  callerWorkspace: true,
  body: z.strictObject({
    display_name: Text,
    owner: Text,
    team: Text,
    runbook_url: WebUrl.nullable().optional(),
    repository_url: WebUrl.nullable().optional(),
    tier: Text,
    tags: z.array(Name).max(50).optional().meta({ description: 'replaces all tags' }),
  }),
  response: Service,
  errors: ['SERVICE_NOT_FOUND', 'QUERY_TOO_EXPENSIVE', 'RESULT_TOO_LARGE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE'],
});
