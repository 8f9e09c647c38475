import { z } from 'zod';
import { JsonValue } from '../json.ts';
import { Description, FlagKey, Id, Key, Name, QueryBoolean, SearchText, Time, Version } from '../primitives.ts';
import { route } from '../route.ts';
import { ReplacedVersion, VersionIfKnown, VersionUnlessFirst } from '../versions.ts';
import { FlagChange } from './flag-changes.ts';
import {
  Compatibility,
  Promotion,
  PromotionBody,
  ProposedTargeting,
  Submission,
  Targeting,
  TargetingFacts,
  TargetingFields,
} from './targeting.ts';

const flagsPath = '/workspaces/{ws}/projects/{p}/flags';
const targetingPath = '/workspaces/{ws}/projects/{p}/environments/{e}/flags/{key}';

export const FlagKind = z.enum(['boolean', 'string', 'number', 'json']);
export const Variant = z.strictObject({ key: FlagKey, value: JsonValue, name: Name.optional() });
/** OpenFeature's flag metadata. */
export const FlagMetadata = z
  .record(z.string().min(1).max(100), z.union([z.string().max(1024), z.number(), z.boolean()]))
  .meta({ description: 'returned with every evaluation of the flag', examples: [{ owner: 'checkout', ticket: 1204 }] });
const ClientVisible = z.boolean().meta({
  description: 'whether SDK keys of kind `client` see the flag; to them, a hidden flag does not exist',
});
export const EnvironmentState = z.object({
  environment: z.string(),
  enabled: z.boolean(),
  serves: z.enum(['off', 'one', 'split']),
  percentage: z
    .number()
    .nullable()
    .meta({ description: 'if `serves` is `split`: share of the largest variant that is not the off variant' }),
  ramp: z.enum(['running', 'paused']).nullable().meta({ description: 'status of the active ramp' }),
  version: Version,
  updated_at: Time,
  last_evaluated_at: Time.nullable().meta({
    description: 'to the minute; null: not in the last 400 days, or currently unknown',
  }),
});
export const Flag = z.object({
  id: Id,
  key: z.string(),
  name: z.string(),
  description: z.string(),
  kind: FlagKind,
  variants: z.array(Variant),
  default_variant: z.string(),
  off_variant: z.string().nullable().meta({ description: 'null: while the flag is off, the caller uses its default' }),
  tags: z.array(z.string()),
  temporary: z.boolean(),
  metadata: FlagMetadata,
  client_visible: ClientVisible,
  archived: z.boolean(),
  version: Version,
  created_at: Time,
  updated_at: Time,
  created_by: z.string().nullable(),
  stale: z
    .object({ reason: z.enum(['one_variant', 'not_evaluated']), since: Time })
    .nullable()
    .meta({
      description:
        'set for a temporary flag that has served, or is configured to serve, one variant for 30 days, or was not evaluated for 14 days',
    }),
  environments: z.array(EnvironmentState),
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
    search: SearchText.optional(),
    tag: z.string().max(100).optional(),
    archived: QueryBoolean.default(false),
  },
  response: Flag,
});
export const createFlag = route({
  id: 'flags.create',
  bodyLimit: 'document',
  example: { body: { key: 'new-checkout', name: 'New checkout', kind: 'boolean' } },
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
    off_variant: FlagKey.nullable().optional(),
    tags: z.array(Key).max(50).default([]),
    temporary: z.boolean().default(true),
    metadata: FlagMetadata.default({}),
    client_visible: ClientVisible.default(true),
  }),
  response: Flag,
  errors: ['FLAG_EXISTS', 'LIMIT_REACHED'],
});
export const getFlag = route({
  id: 'flags.get',
  method: 'GET',
  path: `${flagsPath}/{key}`,
  summary: 'Get a flag',
  auth: 'user',
  permission: 'flags:read',
  response: Flag,
  errors: ['FLAG_NOT_FOUND'],
});
export const getTargeting = route({
  id: 'flags.get_targeting',
  method: 'GET',
  path: targetingPath,
  summary: 'Get the targeting of a flag in an environment',
  auth: 'user',
  permission: 'flags:read',
  response: Targeting,
  errors: ['FLAG_NOT_FOUND'],
});
export const previewCompatibility = route({
  id: 'flags.preview_compatibility',
  bodyLimit: 'bulk',
  example: {
    body: { enabled: true, off_variant: 'false', fallthrough: { variant: 'true' }, targets: [], rules: [] },
  },
  method: 'POST',
  path: `${targetingPath}/compatibility`,
  summary: 'Get why SDKs of other products would not get a flag with a proposed targeting, without saving it',
  auth: 'user',
  permission: 'flags:read',
  reads: true,
  status: 200,
  body: ProposedTargeting,
  response: Compatibility,
  errors: ['FLAG_NOT_FOUND', 'FLAG_ARCHIVED', 'NOT_FOUND', 'TARGETING_INVALID', 'RAMP_ACTIVE', 'EXPERIMENT_ACTIVE'],
});
export const setTargeting = route({
  id: 'flags.set_targeting',
  example: {
    body: {
      enabled: true,
      off_variant: 'false',
      fallthrough: {
        rollout: {
          weights: [
            { variant: 'true', weight: 10_000 },
            { variant: 'false', weight: 90_000 },
          ],
        },
      },
      rules: [{ clauses: [{ attribute: 'country', op: 'in', values: ['DE', 'AT'] }], variant: 'true' }],
      version: 1,
      comment: 'Ten per cent, and everybody in Germany and Austria',
    },
  },
  bodyLimit: 'bulk',
  method: 'PUT',
  path: targetingPath,
  summary: 'Replace the targeting of a flag in an environment',
  auth: 'user',
  permission: 'flags:write',
  status: 200,
  otherStatus: 202,
  accepted: FlagChange,
  body: z.strictObject({
    ...TargetingFields,
    targets: TargetingFields.targets.default([]),
    rules: TargetingFields.rules.default([]),
    version: ReplacedVersion,
    ...TargetingFacts,
    ...Submission,
  }),
  response: Targeting,
  errors: [
    'FLAG_NOT_FOUND',
    'STALE_VERSION',
    'TARGETING_INVALID',
    'FLAG_ARCHIVED',
    'RAMP_ACTIVE',
    'EXPERIMENT_ACTIVE',
    'LIMIT_REACHED',
  ],
});
export const promoteTargeting = route({
  id: 'flags.promote',
  example: { body: { to: 'development' } },
  method: 'POST',
  path: `${targetingPath}/promote`,
  summary: 'Copy the targeting of this environment to another',
  description:
    'The on/off switch stays unchanged unless `include_enabled` is set. A dry run only returns the difference.',
  auth: 'user',
  permission: 'flags:write',
  status: 200,
  otherStatus: 202,
  accepted: FlagChange,
  body: PromotionBody,
  response: Promotion,
  errors: [
    'FLAG_NOT_FOUND',
    'STALE_VERSION',
    'TARGETING_INVALID',
    'FLAG_ARCHIVED',
    'RAMP_ACTIVE',
    'EXPERIMENT_ACTIVE',
    'LIMIT_REACHED',
  ],
});

export const updateFlag = route({
  id: 'flags.update',
  bodyLimit: 'document',
  example: { body: { name: 'New checkout' } },
  method: 'PATCH',
  path: `${flagsPath}/{key}`,
  summary: 'Change a flag in all environments, or archive it',
  auth: 'user',
  permission: 'flags:write',
  otherStatus: 202,
  accepted: FlagChange,
  body: z.strictObject({
    name: Name.optional(),
    description: Description.optional(),
    variants: z.array(Variant).min(1).max(100).optional(),
    default_variant: FlagKey.optional(),
    off_variant: FlagKey.nullable().optional(),
    tags: z.array(Key).max(50).optional(),
    temporary: z.boolean().optional(),
    metadata: FlagMetadata.optional(),
    client_visible: ClientVisible.optional(),
    archived: z.boolean().optional(),
    version: VersionIfKnown,
    ...Submission,
  }),
  response: Flag,
  errors: ['FLAG_NOT_FOUND', 'FLAG_IN_USE', 'FLAG_ARCHIVED', 'VARIANT_IN_USE', 'STALE_VERSION', 'LIMIT_REACHED'],
});
export const removeFlag = route({
  id: 'flags.remove',
  method: 'DELETE',
  path: `${flagsPath}/{key}`,
  summary: 'Delete an archived flag and its history',
  auth: 'user',
  permission: 'flags:write',
  errors: ['FLAG_NOT_FOUND', 'FLAG_NOT_ARCHIVED', 'FLAG_IN_USE'],
});

export const PrerequisiteInput = z.strictObject({ flag: FlagKey, variants: z.array(FlagKey).min(1).max(100) });
export const Prerequisite = z.object({ flag: z.string(), variants: z.array(z.string()) });
export const Prerequisites = z.object({
  flag: z.string(),
  prerequisites: z.array(Prerequisite),
  dependents: z.array(z.string()).meta({ description: 'flags that require this one' }),
  version: Version.meta({ description: 'version of the flag' }),
});
export const getPrerequisites = route({
  id: 'flags.get_prerequisites',
  method: 'GET',
  path: `${flagsPath}/{key}/prerequisites`,
  summary: 'Get the prerequisites of a flag',
  auth: 'user',
  permission: 'flags:read',
  response: Prerequisites,
  errors: ['FLAG_NOT_FOUND'],
});
export const setPrerequisites = route({
  id: 'flags.set_prerequisites',
  example: { body: { prerequisites: [{ flag: 'new-payment', variants: ['true'] }], version: 1 } },
  bodyLimit: 'document',
  method: 'PUT',
  path: `${flagsPath}/{key}/prerequisites`,
  summary: 'Replace the prerequisites of a flag, in all environments',
  auth: 'user',
  permission: 'flags:write',
  status: 200,
  otherStatus: 202,
  accepted: FlagChange,
  body: z.strictObject({
    prerequisites: z.array(PrerequisiteInput).max(50),
    version: VersionUnlessFirst.meta({
      description: 'version of the flag; another one is refused. Required unless the flag has no prerequisites yet',
    }),
    ...Submission,
  }),
  response: Prerequisites,
  errors: [
    'FLAG_NOT_FOUND',
    'FLAG_ARCHIVED',
    'PREREQUISITES_INVALID',
    'PREREQUISITE_CYCLE',
    'STALE_VERSION',
    'LIMIT_REACHED',
  ],
});
