import { z } from 'zod';
import { Count, Id, Name, OneLine, Reference, Time, Version } from '../primitives.ts';
import { route } from '../route.ts';
import { VersionIfKnown } from '../versions.ts';
import { Matchers, MatchersOutput } from './matchers.ts';
import { AlertDuration, LabelName, LabelsOutput } from './primitives.ts';

const path = '/workspaces/{ws}/routing-policies';

const Ranges = (description: string, example: string) =>
  z
    .array(OneLine(60))
    .max(20)
    .optional()
    .meta({ description, examples: [[example]] });

/** All fields that are given must hold; each holds if one of its ranges does. */
export const TimeInterval = z.strictObject({
  times: z
    .array(z.strictObject({ start: z.string().max(5), end: z.string().max(5) }))
    .max(20)
    .optional()
    .meta({
      description: 'from 00:00 to 24:00; the end does not belong to it',
      examples: [[{ start: '09:00', end: '17:00' }]],
    }),
  weekdays: Ranges('names', 'monday:friday'),
  days_of_month: Ranges('1 to 31, or -31 to -1 from the end', '-3:-1'),
  months: Ranges('names or numbers', 'december'),
  years: Ranges('numbers', '2026:2027'),
  time_zone: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({ description: 'IANA name; UTC by default', examples: ['Europe/Berlin'] }),
});
const Intervals = z.array(TimeInterval).max(20);

const inherited = 'null: as the parent';
const GroupBy = z
  .array(LabelName)
  .max(20)
  .nullable()
  .meta({ description: `label names, or \`...\` for all labels; ${inherited}`, examples: [['service.name']] });
const Channels = z
  .array(Id)
  .max(20)
  .nullable()
  .meta({ description: `${inherited}; an empty list: nobody is notified` });
const Interval = (description: string) =>
  AlertDuration.nullable().meta({ description: `${description}; ${inherited}` });

const Facts = {
  name: Name,
  parent: Id.meta({ description: 'the root by default' }),
  position: z.number().int().min(0).max(10_000).meta({ description: 'order among the children of the parent' }),
  matchers: Matchers,
  channels: Channels,
  group_by: GroupBy,
  group_wait: Interval('how long a new group waits before it is notified'),
  group_interval: Interval('how long a group waits before changes are notified'),
  repeat_interval: Interval('how long an unchanged group waits before it is notified again'),
  continue: z.boolean().meta({ description: 'whether the next siblings are asked too' }),
  mute: Intervals.meta({ description: 'times in which nothing is notified' }),
  active: Intervals.meta({ description: 'the only times in which anything is notified, if there are any' }),
};

const Duration = z.string();
export const RoutingPolicy = z.object({
  id: Id,
  name: z.string(),
  parent: Id.nullable().meta({ description: 'null: the root' }),
  position: Count,
  matchers: MatchersOutput,
  channels: z.array(Id).nullable(),
  group_by: z.array(z.string()).nullable(),
  group_wait: Duration.nullable(),
  group_interval: Duration.nullable(),
  repeat_interval: Duration.nullable(),
  continue: z.boolean(),
  mute: z.array(TimeInterval),
  active: z.array(TimeInterval),
  effective: z
    .object({
      channels: z.array(Id),
      group_by: z.array(z.string()),
      group_wait: Duration,
      group_interval: Duration,
      repeat_interval: Duration,
    })
    .meta({ description: 'with what it inherits' }),
  version: Version,
  created_by: Reference.nullable(),
  created_at: Time,
  updated_by: Reference.nullable(),
  updated_at: Time,
});

const errors = ['ROUTING_POLICY_INVALID', 'ROUTING_POLICY_ROOT', 'ROUTING_POLICY_CIRCLE', 'LIMIT_REACHED'] as const;

export const listRoutingPolicies = route({
  id: 'routing_policies.list',
  method: 'GET',
  path,
  summary: 'List the routing policies: parents first, siblings by position',
  auth: 'user',
  permission: 'alerts:read',
  list: true,
  pageSize: 500,
  response: RoutingPolicy,
});
export const createRoutingPolicy = route({
  id: 'routing_policies.create',
  example: {
    body: { name: 'Checkout', matchers: [{ name: 'service.name', op: '=', value: 'checkout' }], channels: [] },
  },
  method: 'POST',
  path,
  summary: 'Create a routing policy',
  description:
    'An alert goes to the first child that matches, depth first, and to the policy itself where no child matches.',
  auth: 'user',
  permission: 'alerts:write',
  body: z.strictObject({
    name: Facts.name,
    parent: Facts.parent.optional(),
    position: Facts.position.optional().meta({ description: 'behind its siblings by default' }),
    matchers: Facts.matchers.min(1),
    channels: Facts.channels.default(null),
    group_by: Facts.group_by.default(null),
    group_wait: Facts.group_wait.default(null),
    group_interval: Facts.group_interval.default(null),
    repeat_interval: Facts.repeat_interval.default(null),
    continue: Facts.continue.default(false),
    mute: Facts.mute.default([]),
    active: Facts.active.default([]),
  }),
  response: RoutingPolicy,
  errors,
});
export const matchRoutingPolicies = route({
  id: 'routing_policies.match',
  example: { body: { labels: { alertname: 'Checkout fails', 'service.name': 'checkout' } } },
  method: 'POST',
  path: `${path}/match`,
  summary: 'Show where an alert with these labels would go',
  auth: 'user',
  permission: 'alerts:read',
  reads: true,
  body: z.strictObject({
    labels: z
      .record(OneLine(128).min(1), z.string().max(1_024))
      .refine((labels) => Object.keys(labels).length <= 64, 'at most 64 labels'),
  }),
  response: z.object({
    policies: z.array(
      z.object({
        id: Id,
        path: z.array(Reference).meta({ description: 'from the root' }),
        channels: z.array(Id),
        group: LabelsOutput.meta({ description: 'the labels that the group shares' }),
        group_wait: Duration,
        group_interval: Duration,
        repeat_interval: Duration,
        muted: z.boolean().meta({ description: 'whether a time interval mutes it now' }),
      }),
    ),
  }),
});
export const getRoutingPolicy = route({
  id: 'routing_policies.get',
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Get a routing policy',
  auth: 'user',
  permission: 'alerts:read',
  response: RoutingPolicy,
});
export const updateRoutingPolicy = route({
  id: 'routing_policies.update',
  example: { body: { group_wait: '10s' } },
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Change a routing policy',
  description: 'Firing alerts are routed again. A channel that an alert leaves still receives its resolution.',
  auth: 'user',
  permission: 'alerts:write',
  body: z.strictObject({
    name: Facts.name.optional(),
    parent: Facts.parent.optional(),
    position: Facts.position.optional(),
    matchers: Facts.matchers.optional(),
    channels: Facts.channels.optional(),
    group_by: Facts.group_by.optional(),
    group_wait: Facts.group_wait.optional(),
    group_interval: Facts.group_interval.optional(),
    repeat_interval: Facts.repeat_interval.optional(),
    continue: Facts.continue.optional(),
    mute: Facts.mute.optional(),
    active: Facts.active.optional(),
    version: VersionIfKnown,
  }),
  response: RoutingPolicy,
  errors: [...errors, 'STALE_VERSION'],
});
export const removeRoutingPolicy = route({
  id: 'routing_policies.remove',
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a routing policy without children',
  auth: 'user',
  permission: 'alerts:write',
  errors: ['ROUTING_POLICY_ROOT', 'ROUTING_POLICY_IN_USE'],
});
