import { z } from 'zod';
import { Count, HttpStatus, Id, OneLine, Time } from '../primitives.ts';
import { route } from '../route.ts';
import { AlertValue, LabelsOutput } from './primitives.ts';

export const AlertState = z.enum(['inactive', 'pending', 'firing', 'recovering', 'resolved', 'no_data', 'error']);

const Facts = {
  id: Id,
  rule_id: Id,
  rule_name: z.string(),
  project: z.string().meta({ description: 'key of the project of the rule' }),
  environment: z.string().nullable().meta({ description: 'key of the environment of the rule; null: all of them' }),
  state: AlertState.meta({ description: 'no_data and error: the instance stands for the rule itself' }),
  labels: LabelsOutput,
  value: AlertValue,
  active_since: Time.nullable(),
  fired_at: Time.nullable(),
  resolved_at: Time.nullable(),
  flapping: z.boolean().meta({ description: 'began or stopped to fire five times within an hour' }),
  silenced_by: z.array(Id).meta({ description: 'the active silences that match it' }),
  inhibited_by: z.array(Id).meta({ description: 'alerts that hold it back, at most five' }),
};
export const AlertInstance = z.object(Facts);
export const AlertInstanceDetail = z.object({
  ...Facts,
  timeline: z.array(
    z.object({ at: Time, from: AlertState, to: AlertState, value: AlertValue, reason: z.string().nullable() }),
  ),
  deliveries: z
    .array(
      z.object({
        id: Id,
        channel: z.object({ id: Id, name: z.string(), kind: z.string() }),
        fallback: z.boolean().meta({ description: 'sent because another channel failed' }),
        reason: z
          .enum(['first', 'new_alerts', 'resolved', 'all_resolved', 'repeat'])
          .meta({ description: 'why the group was notified' }),
        notified: z.enum(['firing', 'resolved']).meta({ description: 'what the message says about the group' }),
        status: z.enum(['pending', 'delivered', 'failed']),
        attempts: Count,
        answer_status: HttpStatus.nullable().meta({ description: 'the status of the last answer' }),
        answer: z.string().nullable().meta({ description: 'what the receiver answered last' }),
        error: z.string().nullable(),
        created_at: Time,
        next_attempt_at: Time.nullable(),
        finished_at: Time.nullable(),
      }),
    )
    .meta({ description: 'the messages about it, newest first, at most 100' }),
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
