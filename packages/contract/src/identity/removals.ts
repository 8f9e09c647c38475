import { z } from 'zod';
import { Count, Id, Time } from '../primitives.ts';
import { route } from '../route.ts';

export const Removal = z.object({
  id: Id.meta({ description: 'the id of what was removed, or of the erasure' }),
  resource: z.object({
    type: z.enum(['workspace', 'project', 'environment', 'attribute']).meta({
      description: 'attribute: an erasure in the project; key and name are those of the attribute',
    }),
    key: z.string(),
    name: z.string(),
    project_id: Id.nullable(),
  }),
  state: z
    .enum(['removing', 'removed'])
    .meta({ description: 'removed: nothing of it is stored; queries never see a removed place in either state' }),
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

export const createErasure = route({
  id: 'erasures.create',
  example: { body: { attribute: 'user.id', value: '8f3a' } },
  method: 'POST',
  path: '/workspaces/{ws}/projects/{p}/erasures',
  summary: 'Erase the telemetry of a person from a project',
  description:
    'Deletes every span, log record, metric series, exemplar and profile sample that has the attribute with this value, in all environments: as its own attribute, or as one of its resource, scope, events or links. With the attribute `feature_flag.context.id`, also the exposures and experiment units of this unit. The list of removals shows the progress; until it is `removed`, queries may still return rows. What arrives within five minutes is deleted, too. Attributes inside maps, the text of log records, dashboard snapshots and backups are not searched. The audit log holds the attribute and the SHA-256 of the value.',
  auth: 'user',
  permission: 'projects:write',
  body: z.strictObject({
    attribute: z.string().min(1).max(256).meta({ description: 'its whole name' }),
    value: z.string().min(1).max(1024).meta({ description: 'its whole value; a number as it is written in decimal' }),
  }),
  status: 202,
  response: Removal,
  errors: ['LIMIT_REACHED'],
});
