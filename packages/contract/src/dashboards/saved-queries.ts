import { z } from 'zod';
import { Count, Description, Id, Name, Reference, SearchText, Time } from '../primitives.ts';
import { route } from '../route.ts';
import { QueryLanguage } from '../telemetry/telemetry.ts';

const Scope = { project: z.string().max(128).optional(), environment: z.string().max(128).optional() };
/** Stored as written: a saved query with `now-1h` covers the last hour of each run. */
const WindowText = z.string().trim().min(1).max(64);

export const SavedQuery = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  query: z.string(),
  query_language: QueryLanguage,
  from: z.string().nullable(),
  to: z.string().nullable(),
  project: z.string().nullable().meta({ description: 'key; null: all projects' }),
  environment: z.string().nullable(),
  tags: z.array(z.string()),
  created_by: Reference.nullable(),
  created_at: Time,
});

export const listSavedQueries = route({
  id: 'saved_queries.list',
  method: 'GET',
  path: '/workspaces/{ws}/saved-queries',
  summary: 'List saved queries, newest first',
  auth: 'user',
  scopeIn: 'query',
  permission: 'dashboards:read',
  list: true,
  query: {
    ...Scope,
    search: SearchText.optional().meta({ description: 'searches name, description and query' }),
    tag: SearchText.optional(),
  },
  response: SavedQuery,
});
export const createSavedQuery = route({
  id: 'saved_queries.create',
  example: {
    body: { name: 'Errors by service', query: 'spans | stats errors=ratio(status == error) by service.name' },
  },
  method: 'POST',
  path: '/workspaces/{ws}/saved-queries',
  summary: 'Save a query',
  auth: 'user',
  scopeIn: 'body',
  permission: 'dashboards:write',
  body: z.strictObject({
    name: Name,
    description: Description.default(''),
    query: z.string().min(1).max(65_536),
    query_language: QueryLanguage.default('oql'),
    from: WindowText.optional(),
    to: WindowText.optional(),
    ...Scope,
    tags: z.array(Name).max(20).default([]),
  }),
  response: SavedQuery,
  errors: [
    'OQL_INVALID',
    'PROMQL_INVALID',
    'WINDOW_INVALID',
    'LIMIT_REACHED',
    'QUERY_TOO_EXPENSIVE',
    'QUERY_QUEUE_FULL',
  ],
});
export const removeSavedQuery = route({
  id: 'saved_queries.remove',
  method: 'DELETE',
  path: '/workspaces/{ws}/saved-queries/{id}',
  summary: 'Delete a saved query',
  auth: 'user',
  permission: 'dashboards:write',
});

export const QueryRun = z.object({
  id: Id,
  at: Time,
  query: z.string(),
  query_language: QueryLanguage.nullable().meta({
    description: 'null: another language, such as LogQL, or a run before version 0.3',
  }),
  from: Time.nullable().meta({ description: 'null if the query failed before its window was known' }),
  to: Time.nullable(),
  project: z.string().nullable().meta({ description: 'key' }),
  environment: z.string().nullable(),
  user: Reference,
  token: Reference.nullable(),
  status: z.enum(['ok', 'failed', 'cancelled']),
  error: z.string().nullable().meta({ description: 'code of the error' }),
  took_ms: Count,
  rows_read: Count,
  bytes_read: Count,
  rows: Count,
  truncated: z.boolean(),
});
export const listQueryHistory = route({
  id: 'query_history.list',
  method: 'GET',
  path: '/workspaces/{ws}/query-history',
  summary: 'List query runs with their cost, newest first',
  description:
    'Returns your own runs, or those of all users with `everyone=true`, which requires audit:read. A run appears about a second after its end and is kept for 30 days, at most 10,000 per workspace.',
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  list: true,
  query: {
    ...Scope,
    everyone: z.enum(['true', 'false']).optional(),
    status: z.enum(['ok', 'failed', 'cancelled']).optional(),
    search: SearchText.optional().meta({ description: 'searches the query text' }),
  },
  response: QueryRun,
});
