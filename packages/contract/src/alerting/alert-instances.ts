import { z } from 'zod';
import { Id, OneLine, Time } from '../primitives.ts';
import { route } from '../route.ts';
import { AlertValue, LabelsOutput } from './primitives.ts';

export const AlertState = z.enum(['inactive', 'pending', 'firing', 'recovering', 'resolved', 'no_data', 'error']);

const Facts = {
  id: Id,
  rule_id: Id,
  rule_name: z.string(),
  state: AlertState.meta({ description: 'no_data and error: the instance stands for the rule itself' }),
  labels: LabelsOutput,
  value: AlertValue,
  active_since: Time.nullable(),
  fired_at: Time.nullable(),
  resolved_at: Time.nullable(),
  flapping: z.boolean().meta({ description: 'began or stopped to fire five times within an hour' }),
};
export const AlertInstance = z.object(Facts);
export const AlertInstanceDetail = z.object({
  ...Facts,
  timeline: z.array(
    z.object({ at: Time, from: AlertState, to: AlertState, value: AlertValue, reason: z.string().nullable() }),
  ),
});

export const listAlertInstances = route({
  id: 'alert_instances.list',
  method: 'GET',
  path: '/workspaces/{ws}/alert-instances',
  summary: 'List the instances of alert rules that are pending or firing, or resolved within a day',
  auth: 'user',
  permission: 'alerts:read',
  list: true,
  query: {
    rule: Id.optional(),
    state: AlertState.optional(),
    label: OneLine(1_200)
      .regex(/^[^=]+=/, 'write name=value')
      .optional()
      .meta({ description: 'name=value', examples: ['service.name=checkout'] }),
  },
  response: AlertInstance,
});
export const getAlertInstance = route({
  id: 'alert_instances.get',
  method: 'GET',
  path: '/workspaces/{ws}/alert-instances/{id}',
  summary: 'Get an instance with its timeline',
  auth: 'user',
  permission: 'alerts:read',
  response: AlertInstanceDetail,
});
