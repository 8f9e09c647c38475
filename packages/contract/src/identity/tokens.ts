import { z } from 'zod';
import { FlagKey, Id, Name, QueryBoolean, Time } from '../primitives.ts';
import { route } from '../route.ts';
import { PermissionName } from './roles.ts';

export const Token = z.object({
  id: Id,
  kind: z.enum(['api', 'sdk']),
  name: z.string(),
  prefix: z.string().meta({ description: 'first characters of the secret, to identify it' }),
  permissions: z.array(PermissionName),
  project: z.string().nullable().meta({ description: 'key of the project it is limited to' }),
  environment: z.string().nullable().meta({ description: 'key of the environment it is limited to' }),
  sdk_kind: z.enum(['server', 'client']).nullable(),
  allowed_origins: z.array(z.string()),
  growthbook_encryption: z
    .boolean()
    .meta({ description: "whether GrowthBook's SDKs get their features encrypted with this SDK key" }),
  created_by: z.string().nullable().meta({ description: 'name of its creator' }),
  created_at: Time,
  expires_at: Time.nullable(),
  last_used_at: Time.nullable(),
  revoked_at: Time.nullable(),
});
const Origin = z
  .string()
  .max(300)
  .regex(/^https?:\/\/[^/\s?#]+$/, 'an origin such as https://shop.example, without a path');

export const listTokens = route({
  id: 'tokens.list',
  method: 'GET',
  path: '/tokens',
  summary: 'List API tokens and SDK keys',
  auth: 'user',
  permission: 'tokens:read',
  callerWorkspace: true,
  list: true,
  query: { kind: z.enum(['api', 'sdk']).optional(), include_revoked: QueryBoolean.default(false) },
  response: Token,
});
export const createToken = route({
  id: 'tokens.create',
  example: { body: { name: 'Collector', permissions: ['telemetry:ingest'], project: 'default' } },
  method: 'POST',
  path: '/tokens',
  summary: 'Create an API token; the response contains the secret, once',
  description:
    'A token acts for its creator and never has more permissions than the creator has at the time of use. A token limited to a project accepts only project and environment permissions; one limited to an environment accepts only environment permissions. A token created by a token inherits its limits and its expiry.',
  auth: 'user',
  permission: 'tokens:write',
  scopeIn: 'body',
  callerWorkspace: true,
  body: z
    .strictObject({
      name: Name,
      permissions: z.array(PermissionName).min(1).max(200),
      project: z.string().max(128).optional(),
      environment: z.string().max(128).optional(),
      expires_at: Time.optional(),
    })
    .meta({ dependentRequired: { environment: ['project'] } }),
  response: Token.extend({ token: z.string() }),
  errors: ['ESCALATION', 'LIMIT_REACHED', 'NOT_FOUND'],
  secret: true,
});
export const removeToken = route({
  id: 'tokens.remove',
  method: 'DELETE',
  path: '/tokens/{id}',
  summary: 'Revoke an API token or SDK key',
  auth: 'user',
  permission: 'tokens:write',
  callerWorkspace: true,
});
export const createFlagKey = route({
  id: 'flag_keys.create',
  example: { body: { environment: 'production', name: 'Checkout service' } },
  method: 'POST',
  path: '/workspaces/{ws}/projects/{p}/flag-keys',
  summary: 'Create an SDK key for one environment; the response contains the secret, once',
  description:
    'Anyone with the key can evaluate the flags of the environment, so this also requires `flags:read` there.',
  auth: 'user',
  permission: 'tokens:write',
  body: z.strictObject({
    environment: z.string().min(1).max(128),
    name: Name.optional(),
    kind: z.enum(['server', 'client']).default('server'),
    allowed_origins: z.array(Origin).max(50).default([]),
    growthbook_encryption: z.boolean().default(false).meta({
      description:
        "`true`, only for the kind `server`: GrowthBook's SDKs get their features encrypted, and the key reads rules in no other form",
    }),
  }),
  response: z.object({
    id: Id,
    key: z.string(),
    name: z.string(),
    environment: FlagKey,
    kind: z.enum(['server', 'client']),
    allowed_origins: z.array(z.string()),
    growthbook_decryption_key: z
      .string()
      .nullable()
      .meta({ description: 'the `decryptionKey` of the SDK, shown once; null without encryption', examples: [null] }),
    created_at: Time,
  }),
  errors: ['ESCALATION', 'LIMIT_REACHED', 'NOT_FOUND'],
  secret: true,
});
