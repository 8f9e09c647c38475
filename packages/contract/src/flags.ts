import { z } from 'zod';
import { Description, FlagKey, Id, Key, Name, Time } from './primitives.ts';
import { route } from './route.ts';

const flagsPath = '/workspaces/{ws}/projects/{p}/flags';
const targetingPath = '/workspaces/{ws}/projects/{p}/environments/{e}/flags/{key}';

export const JsonValue: z.ZodType<unknown> = z.unknown();
export const FlagKind = z.enum(['boolean', 'string', 'number', 'json']);
export const Variant = z.strictObject({ key: FlagKey, value: JsonValue, name: Name.optional() });
/** Weights are out of 100000. */
export const Rollout = z.strictObject({
  bucket_by: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .meta({ description: 'attribute or JSON pointer; targetingKey by default' }),
  seed: z.string().min(1).max(100).optional(),
  weights: z
    .array(z.strictObject({ variant: FlagKey, weight: z.number().int().min(0).max(100_000) }))
    .min(1)
    .max(100),
});
export const Clause = z.strictObject({
  attribute: z.string().min(1).max(300).optional(),
  op: z.enum([
    'in',
    'not_in',
    'starts_with',
    'ends_with',
    'contains',
    'matches',
    'eq',
    'neq',
    'lt',
    'lte',
    'gt',
    'gte',
    'before',
    'after',
    'semver_eq',
    'semver_lt',
    'semver_gt',
    'exists',
    'in_segment',
    'cidr',
  ]),
  values: z
    .array(z.union([z.string().max(2000), z.number(), z.boolean()]))
    .max(10_000)
    .default([]),
  negate: z.boolean().default(false),
});
const Serve = { variant: FlagKey.optional(), rollout: Rollout.optional() };
export const Fallthrough = z.strictObject(Serve);
export const Rule = z.strictObject({
  id: z.string().min(1).max(100).optional(),
  description: Description.optional(),
  clauses: z.array(Clause).max(100),
  ...Serve,
});
export const Target = z.strictObject({
  variant: FlagKey,
  values: z.array(z.string().max(2000)).max(100_000),
  attribute: z.string().min(1).max(300).optional(),
});

export const EnvironmentState = z.object({
  environment: z.string(),
  enabled: z.boolean(),
  serves: z.enum(['off', 'one', 'split']),
  percentage: z
    .number()
    .nullable()
    .meta({ description: 'share of the largest variant that is not the off variant, where split' }),
  version: z.number().int(),
  updated_at: Time,
});
export const Flag = z.object({
  id: Id,
  key: z.string(),
  name: z.string(),
  description: z.string(),
  kind: FlagKind,
  variants: z.array(z.object({ key: z.string(), value: JsonValue, name: z.string().optional() })),
  default_variant: z.string(),
  off_variant: z.string(),
  tags: z.array(z.string()),
  temporary: z.boolean(),
  archived: z.boolean(),
  version: z.number().int(),
  created_at: Time,
  updated_at: Time,
  created_by: z.string().nullable(),
  environments: z.array(EnvironmentState),
});
export const Targeting = z.object({
  flag: z.string(),
  environment: z.string(),
  enabled: z.boolean(),
  off_variant: z.string(),
  fallthrough: z.object({
    variant: z.string().optional(),
    rollout: z
      .object({
        bucket_by: z.string().optional(),
        seed: z.string().optional(),
        weights: z.array(z.object({ variant: z.string(), weight: z.number() })),
      })
      .optional(),
  }),
  targets: z.array(z.object({ variant: z.string(), values: z.array(z.string()), attribute: z.string().optional() })),
  rules: z.array(
    z.object({
      id: z.string(),
      description: z.string().optional(),
      clauses: z.array(
        z.object({
          attribute: z.string().optional(),
          op: z.string(),
          values: z.array(z.unknown()),
          negate: z.boolean(),
        }),
      ),
      variant: z.string().optional(),
      rollout: z
        .object({
          bucket_by: z.string().optional(),
          seed: z.string().optional(),
          weights: z.array(z.object({ variant: z.string(), weight: z.number() })),
        })
        .optional(),
    }),
  ),
  version: z.number().int().meta({ description: 'counts writes of this configuration; give it back on PUT' }),
  flag_version: z.number().int().meta({ description: 'counts every change of what the flag serves here' }),
  updated_at: Time,
  updated_by: z.string().nullable(),
});

export const listFlags = route({
  id: 'flags.list',
  method: 'GET',
  path: flagsPath,
  summary: 'List flags with their state per environment',
  auth: 'user',
  permission: 'flags:read',
  list: true,
  query: {
    search: z.string().max(200).optional(),
    tag: z.string().max(100).optional(),
    archived: z.stringbool().default(false),
  },
  response: Flag,
});
export const createFlag = route({
  id: 'flags.create',
  method: 'POST',
  path: flagsPath,
  summary: 'Create a flag; it is off in every environment',
  auth: 'user',
  permission: 'flags:write',
  body: z.strictObject({
    key: FlagKey,
    name: Name,
    description: Description.default(''),
    kind: FlagKind,
    variants: z.array(Variant).min(1).max(100).optional(),
    default_variant: FlagKey.optional(),
    off_variant: FlagKey.optional(),
    tags: z.array(Key).max(50).default([]),
    temporary: z.boolean().default(true),
  }),
  response: Flag,
  errors: ['FLAG_EXISTS', 'LIMIT_REACHED'],
});
export const getFlag = route({
  id: 'flags.get',
  method: 'GET',
  path: `${flagsPath}/{key}`,
  summary: 'One flag',
  auth: 'user',
  permission: 'flags:read',
  response: Flag,
  errors: ['FLAG_NOT_FOUND'],
});
export const getTargeting = route({
  id: 'flags.get_targeting',
  method: 'GET',
  path: targetingPath,
  summary: 'What a flag serves in an environment',
  auth: 'user',
  permission: 'flags:read',
  response: Targeting,
  errors: ['FLAG_NOT_FOUND'],
});
export const setTargeting = route({
  id: 'flags.set_targeting',
  method: 'PUT',
  path: targetingPath,
  summary: 'Replace what a flag serves in an environment',
  auth: 'user',
  permission: 'flags:write',
  status: 200,
  body: z.strictObject({
    enabled: z.boolean(),
    off_variant: FlagKey,
    fallthrough: Fallthrough,
    targets: z.array(Target).max(100).default([]),
    rules: z.array(Rule).max(500).default([]),
    version: z.number().int().min(0),
    comment: z.string().max(2000).optional(),
  }),
  response: Targeting,
  errors: ['FLAG_NOT_FOUND', 'STALE_VERSION', 'TARGETING_INVALID', 'FLAG_ARCHIVED'],
});
