import { z } from 'zod';
import { Count, PageQuery, SearchText, Time, TimeInput, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';

const path = '/workspaces/{ws}/error-groups';

export const ErrorState = z.enum(['open', 'resolved', 'ignored']);
export type ErrorState = z.output<typeof ErrorState>;

/** What people decided about a group, and what became of it. */
const State = {
  state: ErrorState.meta({
    description:
      '`resolved` only until the error occurs again: then it is `open` and `is_regression`, as far as the window reaches',
  }),
  is_regression: z.boolean().meta({ description: 'it occurred again after it was resolved' }),
  changed_at: Time.nullable().meta({ description: 'when somebody last set the state; null: nobody did' }),
  changed_by: z.string().nullable(),
  comment: z.string().nullable(),
};

export const ErrorGroup = z.object({
  id: z.string().meta({ description: 'identifies type and stack: the same in every window' }),
  type: z.string().meta({ description: '`exception.type`; empty if it was not sent', examples: ['TypeError'] }),
  message: z.string().meta({ description: 'of the latest occurrence' }),
  frame: z.string().meta({ description: 'where it was thrown: the innermost frame; empty without a stack' }),
  services: z.array(z.string()).meta({ description: 'most frequent first, at most 10' }),
  versions: z.array(z.string()).meta({ description: 'values of `service.version`, first seen first, at most 20' }),
  count: Count.meta({ description: 'occurrences in the window' }),
  first_seen: z.string().meta({ description: 'in the window or the look-back before it' }),
  last_seen: z.string(),
  trend: z.array(Count).meta({ description: 'occurrences in each of the equal slices of the window' }),
  new_since: z
    .object({ service: z.string(), version: z.string(), at: Time })
    .nullable()
    .meta({ description: 'the last deploy of one of its services, if it was never seen before that; else null' }),
  ...State,
});
export type ErrorGroup = z.output<typeof ErrorGroup>;

const Place = {
  project: z.string().min(1).max(128),
  environment: z.string().max(128).optional(),
};
const Window = { from: TimeInput.optional(), to: WindowEnd.optional() };

export const listErrorGroups = route({
  id: 'error_groups.list',
  example: { query: { project: 'default' } },
  method: 'GET',
  path,
  summary: 'List the errors of a window, grouped by type and stack',
  description:
    'Groups `exception` events of spans, and log records with `exception.*` attributes. A log record does not count if its span has such an event, since both stand for one error. Counts are exact. `next_cursor` keeps the window of the first page, even if it is relative. `meta` has `total` (occurrences), `groups`, `window`, `since` (the start of the look-back), `slice_ms` and `warnings`.',
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  list: true,
  query: {
    ...Window,
    ...Place,
    service: z.string().max(200).optional(),
    state: ErrorState.optional(),
    search: SearchText.optional().meta({ description: 'text that type or message contain, case-insensitive' }),
    sort: z.enum(['count', 'last_seen', 'first_seen']).default('count').meta({ description: 'descending' }),
    limit: z.coerce.number().int().min(1).max(500).default(50),
    cursor: PageQuery.shape.cursor,
  },
  response: ErrorGroup,
  errors: ['WINDOW_INVALID', 'QUERY_TOO_EXPENSIVE', 'QUERY_QUEUE_FULL', 'STORE_UNAVAILABLE', 'NOT_FOUND'],
});

export const getErrorGroup = route({
  id: 'error_groups.get',
  example: { query: { project: 'default' } },
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Get an error with its stack, its traces, and the flag variants that these saw',
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  query: { ...Window, ...Place },
  response: ErrorGroup.extend({
    stack: z.string().meta({ description: 'of one occurrence, at most 16 KiB' }),
    occurrences: z
      .array(
        z.object({
          time: z.string(),
          trace_id: z.string().nullable(),
          span_id: z.string().nullable(),
          service: z.string(),
          version: z.string(),
          message: z.string(),
        }),
      )
      .meta({ description: 'the latest in the window, at most 20' }),
    variants: z
      .array(
        z.object({
          flag: z.string(),
          variant: z.string(),
          traces: Count.meta({ description: 'traces that saw the variant in the window' }),
          failing: Count.meta({ description: 'those with this error' }),
        }),
      )
      .meta({ description: 'all variants of the flags that its traces evaluated, most failing first, at most 100' }),
  }),
  errors: [
    'ERROR_GROUP_NOT_FOUND',
    'WINDOW_INVALID',
    'QUERY_TOO_EXPENSIVE',
    'QUERY_QUEUE_FULL',
    'STORE_UNAVAILABLE',
    'NOT_FOUND',
  ],
});

export const setErrorGroupState = route({
  id: 'error_groups.set_state',
  example: { body: { project: 'default', state: 'resolved', comment: 'Fixed in 4.77.10' } },
  method: 'PUT',
  path: `${path}/{id}/state`,
  summary: 'Resolve, ignore or reopen an error',
  description: 'A resolved error that occurs again is open again. An ignored one stays ignored.',
  auth: 'user',
  scopeIn: 'body',
  permission: 'errors:write',
  alsoNeeds: 'telemetry:query',
  body: z.strictObject({
    project: Place.project,
    state: ErrorState,
    comment: z.string().trim().max(2_000).optional(),
  }),
  response: z.object({ id: z.string(), ...State }),
  errors: [
    'ERROR_GROUP_NOT_FOUND',
    'LIMIT_REACHED',
    'PERMISSION_DENIED',
    'QUERY_TOO_EXPENSIVE',
    'QUERY_QUEUE_FULL',
    'STORE_UNAVAILABLE',
    'NOT_FOUND',
  ],
});
