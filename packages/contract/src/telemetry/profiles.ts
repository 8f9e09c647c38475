import { z } from 'zod';
import { Count, TimeInput, WindowEnd } from '../primitives.ts';
import { route } from '../route.ts';

const Selection = {
  profile_type: z
    .string()
    .min(1)
    .max(200)
    .meta({ description: 'type and unit', examples: ['cpu:nanoseconds'] }),
  service: z.string().max(200).optional(),
  trace_id: z
    .string()
    .regex(/^[0-9a-fA-F]{32}$/, 'a trace id is 32 hexadecimal digits')
    .optional()
    .meta({ description: 'only samples taken in this trace' }),
  span_id: z
    .string()
    .regex(/^[0-9a-fA-F]{16}$/, 'a span id is 16 hexadecimal digits')
    .optional(),
  project: z.string().max(128).optional(),
  environment: z.string().max(128).optional(),
};
const Window = { from: TimeInput.optional(), to: WindowEnd.optional() };
const errors = [
  'WINDOW_INVALID',
  'QUERY_TOO_EXPENSIVE',
  'RESULT_TOO_LARGE',
  'QUERY_QUEUE_FULL',
  'STORE_UNAVAILABLE',
] as const;

/** Trees are lists: a node follows its parent, children with the largest total first. */
const tree = 'in pre-order: a node refers to its parent by its index in this list';
export const FlamegraphNode = z.object({
  parent: Count.nullable().meta({ description: 'index of the parent in the list; null for a root' }),
  name: z.string(),
  file: z.string(),
  self: z.number(),
  total: z.number(),
});
export const FlamegraphDiffNode = FlamegraphNode.extend({ base_self: z.number(), base_total: z.number() });

export const getFlamegraph = route({
  id: 'profiles.flamegraph',
  example: { query: { profile_type: 'cpu:nanoseconds' } },
  method: 'GET',
  path: '/workspaces/{ws}/flamegraph',
  summary: 'Get a flame graph of a window, as a folded tree',
  description:
    'Values are sums in the unit of the profile type. Branches too small to draw are summed as `(other)`, never dropped.',
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  query: { ...Selection, ...Window },
  response: z.object({
    profile_type: z.string(),
    unit: z.string(),
    total: z.number(),
    samples: Count,
    nodes: z.array(FlamegraphNode).meta({ description: tree }),
  }),
  errors,
});

export const diffFlamegraph = route({
  id: 'profiles.flamegraph_diff',
  example: { query: { profile_type: 'cpu:nanoseconds' } },
  method: 'GET',
  path: '/workspaces/{ws}/flamegraph/diff',
  summary: 'Compare two windows of profiles in one folded tree',
  description:
    'By default, the base is the preceding window of the same length. With `flag`, `variant` and `base_variant`, it compares samples of traces in which units were measured with these variants, in one window.',
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  query: {
    ...Selection,
    ...Window,
    base_from: TimeInput.optional(),
    base_to: WindowEnd.optional(),
    flag: z.string().min(1).max(128).optional(),
    variant: z.string().min(1).max(128).optional(),
    base_variant: z.string().min(1).max(128).optional(),
  },
  response: z.object({
    profile_type: z.string(),
    unit: z.string(),
    total: z.number(),
    base_total: z.number(),
    window: z.object({ from: z.string(), to: z.string() }),
    base: z.object({ from: z.string(), to: z.string() }),
    nodes: z.array(FlamegraphDiffNode).meta({ description: tree }),
  }),
  errors,
});

export const getSandwich = route({
  id: 'profiles.flamegraph_sandwich',
  example: { query: { profile_type: 'cpu:nanoseconds', function: 'main' } },
  method: 'GET',
  path: '/workspaces/{ws}/flamegraph/sandwich',
  summary: 'Get the callers and callees of a function',
  description:
    'Both trees have the function as their root; `callers` grows towards the entry points. A recursive function counts once, from its outermost call.',
  auth: 'user',
  scopeIn: 'query',
  permission: 'telemetry:query',
  query: { ...Selection, ...Window, function: z.string().min(1).max(1000) },
  response: z.object({
    profile_type: z.string(),
    unit: z.string(),
    function: z.string(),
    total: z.number().meta({ description: 'sum of all samples' }),
    function_total: z.number(),
    function_self: z.number(),
    callers: z.array(FlamegraphNode).meta({ description: tree }),
    callees: z.array(FlamegraphNode).meta({ description: tree }),
  }),
  errors,
});
