import { z } from 'zod';
import { Count, Id, Time } from '../primitives.ts';
import { route } from '../route.ts';

export const Removal = z.object({
  id: Id.meta({ description: 'the id of what was removed' }),
  resource: z.object({
    type: z.enum(['workspace', 'project', 'environment']),
    key: z.string(),
    name: z.string(),
    project_id: Id.nullable(),
  }),
  state: z
    .enum(['removing', 'removed'])
    .meta({ description: 'removed: nothing of it is stored; queries never see it in either state' }),
  tables: z
    .object({ removed: Count, total: Count })
    .meta({ description: 'tables of the telemetry store from which it was removed' }),
  current: z.object({ table: z.string(), parts_left: Count }).nullable().meta({
    description: 'the table from which it is being removed, and the parts that the store still has to rewrite',
  }),
  error: z.string().nullable().meta({ description: 'why the last step failed; it is tried again' }),
  removed_at: Time,
  finished_at: Time.nullable(),
});

export const listRemovals = route({
  id: 'removals.list',
  method: 'GET',
  path: '/workspaces/{ws}/removals',
  summary: 'List removed projects and environments whose telemetry is being deleted',
  description:
    'The telemetry of a removed project or environment answers no query from the moment of the removal. Deleting it from the store takes longer; a removal is listed until twelve hours later, when the logs of servers that were down have been deleted too.',
  auth: 'user',
  permission: 'workspace:read',
  list: true,
  response: Removal,
});
