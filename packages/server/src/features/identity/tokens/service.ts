import { isPermission, type Permission } from '@fanion/contract';
import type { ProjectRef, UserCaller, WorkspaceRef } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { pinOf } from '../../../http/pins.ts';
import { dateOf } from '../../../platform/clock.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import { fail } from '../../../platform/fail.ts';
import { isId, newId } from '../../../platform/ids.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { mintSecret } from '../../../platform/secrets.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { announceAccessChange, missingFrom } from '../access/index.ts';
import { recordAudit } from '../audit/index.ts';
import { lockWorkspace } from '../workspaces/index.ts';
import { mintPayloadKey } from './payload-keys.ts';
import { endOfToken, fitToPin, maxTokens, normaliseOrigins, requireServerForEncryption } from './rules.ts';
import * as store from './store.ts';

export interface ApiTokenInput {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly project?: string | undefined;
  readonly environment?: string | undefined;
  readonly expires_at?: string | undefined;
}

export interface FlagKeyInput {
  readonly environment: string;
  readonly name?: string | undefined;
  readonly kind: 'server' | 'client';
  readonly allowed_origins: readonly string[];
  readonly growthbook_encryption: boolean;
}

export type TokenDependencies = FeatureDependencies & { readonly encryption: Encryption };

export async function list(
  { db }: FeatureDependencies,
  workspace: WorkspaceRef,
  caller: UserCaller,
  options: { kind: 'api' | 'sdk' | undefined; includeRevoked: boolean; after: string | undefined; limit: number },
) {
  const within = pinOf(caller);
  const rows = await store.listTokens(db, workspace.id, { ...options, within, limit: options.limit + 1 });
  return rows.map(present);
}

/** The response shows the secret once; only its hash is stored. */
export async function createApiToken(
  { access, clock, db }: FeatureDependencies,
  workspace: WorkspaceRef,
  caller: UserCaller,
  input: ApiTokenInput,
  origin: Origin,
) {
  if (input.environment !== undefined && input.project === undefined && pinOf(caller) === undefined) {
    const message = 'name the project of the environment too';
    throw fail('INVALID_INPUT', { reason: `project: ${message}` }, { details: [{ path: 'project', message }] });
  }
  const { project, environment, permissionsBelow } = await access.scope(caller, {
    workspace: workspace.id,
    ...(input.project !== undefined && { project: input.project }),
    ...(input.environment !== undefined && { environment: input.environment }),
  });
  const permissions = fitToPin(input.permissions, environment ? 'environment' : project ? 'project' : 'workspace');
  const missing = missingFrom(permissionsBelow, permissions);
  if (missing !== undefined) throw fail('ESCALATION', { permission: missing });
  const now = dateOf(clock);
  const makerEnd = caller.kind === 'token' ? await store.findEnd(db, caller.tokenId) : null;
  const expiresAt = endOfToken(input.expires_at, makerEnd, now);
  const { secret, hash, prefix } = mintSecret('svc_pat_');
  const id = newId(now.getTime());
  const created = await db.transaction().execute(async (trx) => {
    await makeRoom(trx, workspace);
    await store.insertApiToken(trx, {
      id,
      workspaceId: workspace.id,
      userId: caller.user.id,
      name: input.name,
      prefix,
      hash,
      permissions,
      projectId: project?.id ?? null,
      environmentId: environment?.id ?? null,
      expiresAt,
      now,
    });
    const token = present(found(await store.findToken(trx, workspace.id, id)));
    await recordAudit(
      trx,
      origin,
      fact(workspace, 'tokens.create', token, { after: token, project, environment }),
      now,
    );
    return token;
  });
  access.forget({ workspaceId: workspace.id });
  return { ...created, token: secret };
}

/** The response shows the key once; only its hash is stored, and the key that payloads are encrypted with sealed. */
export async function createFlagKey(
  { access, clock, db, encryption }: TokenDependencies,
  { workspace, project }: { workspace: WorkspaceRef; project: ProjectRef },
  caller: UserCaller,
  input: FlagKeyInput,
  origin: Origin,
) {
  const scope = await access.scope(caller, {
    workspace: workspace.id,
    project: project.id,
    environment: input.environment,
  });
  const { environment, permissions } = scope;
  if (environment === undefined) throw fail('NOT_FOUND', { resource: 'environment' });
  if (!permissions.has('tokens:write')) throw fail('PERMISSION_DENIED', { permission: 'tokens:write' });
  if (!permissions.has('flags:read')) throw fail('ESCALATION', { permission: 'flags:read' });
  const allowedOrigins = normaliseOrigins(input.allowed_origins);
  requireServerForEncryption(input);
  const now = dateOf(clock);
  const { secret, hash, prefix } = mintSecret('svc_sdk_');
  const id = newId(now.getTime());
  const payload = input.growthbook_encryption ? mintPayloadKey(encryption, id) : undefined;
  const name = input.name ?? `${project.key} ${environment.key} ${input.kind}`.slice(0, 200);
  await db.transaction().execute(async (trx) => {
    await makeRoom(trx, workspace);
    await store.insertSdkKey(trx, {
      id,
      workspaceId: workspace.id,
      userId: caller.user.id,
      name,
      prefix,
      hash,
      kind: input.kind,
      allowedOrigins,
      payloadKey: payload?.sealed ?? null,
      projectId: project.id,
      environmentId: environment.id,
      now,
    });
    const token = present(found(await store.findToken(trx, workspace.id, id)));
    await recordAudit(
      trx,
      origin,
      fact(workspace, 'flag_keys.create', token, { after: token, project, environment }),
      now,
    );
  });
  access.forget({ workspaceId: workspace.id });
  return {
    id,
    key: secret,
    name,
    environment: environment.key,
    kind: input.kind,
    allowed_origins: allowedOrigins,
    growthbook_decryption_key: payload?.key ?? null,
    created_at: now.toISOString(),
  };
}

/**
 * Ends a token or key at once. The caller must be allowed to write tokens in its place; a pinned caller sees no
 * others.
 */
export async function revoke(
  { db, access, clock }: FeatureDependencies,
  workspace: WorkspaceRef,
  caller: UserCaller,
  id: string,
  origin: Origin,
): Promise<void> {
  const row = found(isId(id) ? await store.findToken(db, workspace.id, id) : undefined);
  if (row.revoked_at !== null || (pinOf(caller) !== undefined && row.project_id === null))
    throw fail('NOT_FOUND', { resource: 'token' });
  const { project, environment, permissionsBelow } = await access
    .scope(caller, {
      workspace: workspace.id,
      ...(row.project_id !== null && { project: row.project_id }),
      ...(row.environment_id !== null && { environment: row.environment_id }),
    })
    .catch(() => {
      throw fail('NOT_FOUND', { resource: 'token' });
    });
  if (pinOf(caller)?.environmentId != null && row.environment_id === null)
    throw fail('NOT_FOUND', { resource: 'token' });
  if (row.project_id !== null && !permissionsBelow.has('tokens:write'))
    throw fail('PERMISSION_DENIED', { permission: 'tokens:write' });
  const now = dateOf(clock);
  await db.transaction().execute(async (trx) => {
    if (!(await store.revokeToken(trx, row.kind, id, now))) throw fail('NOT_FOUND', { resource: 'token' });
    await announceAccessChange(trx, { workspaceId: workspace.id, keyId: id });
    const token = present(row);
    await recordAudit(
      trx,
      origin,
      fact(workspace, 'tokens.remove', token, {
        before: token,
        after: { ...token, revoked_at: now.toISOString() },
        project,
        environment,
      }),
      now,
    );
  });
  access.forget({ workspaceId: workspace.id, keyId: id });
}

async function makeRoom(trx: Executor, workspace: WorkspaceRef): Promise<void> {
  if ((await lockWorkspace(trx, workspace.id)) === undefined) throw fail('NOT_FOUND', { resource: 'workspace' });
  if ((await store.countTokens(trx, workspace.id)) >= maxTokens)
    throw fail('LIMIT_REACHED', { limit: maxTokens, resource: 'API tokens and SDK keys' });
}

function fact(
  workspace: WorkspaceRef,
  action: string,
  token: { id: string; kind: 'api' | 'sdk'; name: string },
  more: {
    before?: unknown;
    after?: unknown;
    project: { id: string } | undefined;
    environment: { id: string } | undefined;
  },
) {
  return {
    workspaceId: workspace.id,
    action,
    resource: { type: token.kind === 'api' ? 'token' : 'sdk_key', id: token.id, name: token.name },
    ...(more.project && { projectId: more.project.id }),
    ...(more.environment && { environmentId: more.environment.id }),
    ...('before' in more && { before: more.before }),
    ...('after' in more && { after: more.after }),
  };
}

function found(row: store.TokenRow | undefined): store.TokenRow {
  if (row === undefined) throw fail('NOT_FOUND', { resource: 'token' });
  return row;
}

function present(row: store.TokenRow) {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    prefix: row.prefix,
    permissions: row.permissions.filter(isPermission),
    project: row.project,
    environment: row.environment,
    sdk_kind: row.sdk_kind,
    allowed_origins: row.allowed_origins,
    growthbook_encryption: row.growthbook_encryption,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
  };
}
