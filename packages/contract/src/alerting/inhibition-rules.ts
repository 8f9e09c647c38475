import { z } from 'zod';
import { Id, Name, Reference, Time, Version } from '../primitives.ts';
import { route } from '../route.ts';
import { VersionIfKnown } from '../versions.ts';
import { Matchers, MatchersOutput } from './matchers.ts';
import { LabelName } from './primitives.ts';

const path = '/workspaces/{ws}/inhibition-rules';

const Facts = {
  name: Name,
  source: Matchers.min(1).meta({ description: 'matches the alerts that hold others back' }),
  target: Matchers.min(1).meta({ description: 'matches the alerts that are held back' }),
  equal: z
    .array(LabelName)
    .max(20)
    .meta({
      description: 'labels on which both must agree; one that both lack is equal',
      examples: [['service.name']],
    }),
};
export const InhibitionRule = z.object({
  id: Id,
  name: z.string(),
  source: MatchersOutput,
  target: MatchersOutput,
  equal: z.array(z.string()),
  version: Version,
  created_by: Reference.nullable(),
  created_at: Time,
  updated_by: Reference.nullable(),
  updated_at: Time,
});

const severity = (value: string) => [{ name: 'severity', op: '=' as const, value }];

export const listInhibitionRules = route({
  id: 'inhibition_rules.list',
  method: 'GET',
  path,
  summary: 'List inhibition rules, newest first',
  auth: 'user',
  permission: 'alerts:read',
  list: true,
  response: InhibitionRule,
});
export const createInhibitionRule = route({
  id: 'inhibition_rules.create',
  example: {
    body: {
      name: 'Critical before warning',
      source: severity('critical'),
      target: severity('warning'),
      equal: ['service.name'],
    },
  },
  method: 'POST',
  path,
  summary: 'Create an inhibition rule',
  description:
    'While an alert that matches `source` fires, those that match `target` and agree on `equal` are not notified.',
  auth: 'user',
  permission: 'alerts:write',
  body: z.strictObject({ ...Facts, equal: Facts.equal.default([]) }),
  response: InhibitionRule,
  errors: ['INHIBITION_RULE_INVALID', 'LIMIT_REACHED'],
});
export const getInhibitionRule = route({
  id: 'inhibition_rules.get',
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Get an inhibition rule',
  auth: 'user',
  permission: 'alerts:read',
  response: InhibitionRule,
});
export const updateInhibitionRule = route({
  id: 'inhibition_rules.update',
  example: { body: { equal: ['service.name', 'deployment.environment.name'] } },
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Change an inhibition rule',
  auth: 'user',
  permission: 'alerts:write',
  body: z.strictObject({
    name: Facts.name.optional(),
    source: Facts.source.optional(),
    target: Facts.target.optional(),
    equal: Facts.equal.optional(),
    version: VersionIfKnown,
  }),
  response: InhibitionRule,
  errors: ['INHIBITION_RULE_INVALID', 'LIMIT_REACHED', 'STALE_VERSION'],
});
export const removeInhibitionRule = route({
  id: 'inhibition_rules.remove',
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete an inhibition rule',
  auth: 'user',
  permission: 'alerts:write',
});
