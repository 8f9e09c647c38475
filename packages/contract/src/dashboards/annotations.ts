import { z } from 'zod';
import { Id, Name, OneLine, Time, TimeInput, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';

const path = '/workspaces/{ws}/annotations';

export const AnnotationKind = z.enum(['manual', 'flag', 'ramp', 'rollback', 'alert', 'deploy']);
export const Annotation = z.object({
  id: z.string().meta({ description: 'UUIDv7 of what it stands for; of a deploy, its service and version' }),
  kind: AnnotationKind,
  time: Time,
  end: Time.nullable(),
  text: z.string(),
  tags: z.array(z.string()),
  project: z.string().nullable().meta({ description: 'key' }),
  environment: z.string().nullable(),
  service: z.string().nullable(),
  flag: z.string().nullable().meta({ description: 'key, of the kinds flag, ramp and rollback' }),
  alert: z
    .object({ rule_id: Id, instance_id: Id, state: z.string() })
    .nullable()
    .meta({ description: 'of the kind alert' }),
  version: z.string().nullable().meta({ description: 'of the kind deploy' }),
  author: z.string().nullable(),
});
export type Annotation = z.output<typeof Annotation>;

const Service = OneLine(1_024).min(1);

export const listAnnotations = route({
  id: 'annotations.list',
  method: 'GET',
  path,
  summary: 'List annotations in a window, latest first',
  description:
    'Lists what people wrote, changes of flags and ramps, alerts that began or stopped to fire, and deploys (the first span of a service with a new `service.version`), as far as the caller may read them: flags need flags:read, alerts alerts:read, deploys telemetry:query. `meta.warnings` names kinds that are left out. With `service`, annotations without a service are listed too.',
  auth: 'user',
  scopeIn: 'query',
  permission: 'dashboards:read',
  list: true,
  query: {
    from: TimeInput.optional(),
    to: WindowEnd.optional(),
    project: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
    service: Service.optional(),
    flag: z.string().max(128).optional().meta({ description: 'key: lists only changes, ramps and rollbacks of it' }),
    kind: AnnotationKind.optional(),
  },
  response: Annotation,
  errors: ['WINDOW_INVALID'],
});
export const createAnnotation = route({
  id: 'annotations.create',
  example: { body: { time: 'now', text: 'Deployed 7', tags: ['deploy'] } },
  method: 'POST',
  path,
  summary: 'Create an annotation',
  auth: 'user',
  scopeIn: 'body',
  permission: 'dashboards:write',
  body: z.strictObject({
    time: TimeInput,
    end: TimeInput.optional(),
    text: z.string().trim().min(1).max(4_096),
    tags: z.array(Name).max(20).default([]),
    project: z.string().max(128).optional(),
    environment: z.string().max(128).optional(),
    service: Service.optional(),
  }),
  response: Annotation,
  errors: ['WINDOW_INVALID', 'LIMIT_REACHED'],
});
export const removeAnnotation = route({
  id: 'annotations.remove',
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete an annotation that somebody wrote',
  auth: 'user',
  permission: 'dashboards:write',
});
