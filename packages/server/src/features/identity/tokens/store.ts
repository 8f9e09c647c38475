import { sql } from 'kysely';
import type { Pin } from '../../../http/pins.ts';
import type { Executor } from '../../../platform/postgres/database.ts';

export interface TokenRow {
  readonly id: string;
  readonly kind: 'api' | 'sdk';
  readonly name: string;
  readonly prefix: string;
  readonly permissions: string[];
  readonly project: string | null;
  readonly environment: string | null;
  readonly project_id: string | null;
  readonly environment_id: string | null;
  readonly sdk_kind: 'server' | 'client' | null;
  readonly allowed_origins: string[];
  readonly growthbook_encryption: boolean;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
}

/** Both kinds of secret as one relation, without their hashes. */
const bothKinds = (workspaceId: string) => sql<TokenRow>`
  SELECT s.*, p.key AS project, e.key AS environment, u.name AS created_by FROM (
    SELECT id, 'api' AS kind, name, prefix, permissions, project_id, environment_id, NULL::text AS sdk_kind, '{}'::text[] AS allowed_origins,
      false AS growthbook_encryption, user_id, created_at, expires_at, last_used_at, revoked_at
    FROM api_tokens WHERE workspace_id = ${workspaceId}
    UNION ALL
    SELECT id, 'sdk', name, prefix, '{}'::text[], project_id, environment_id, kind, allowed_origins,
      payload_key IS NOT NULL, created_by, created_at, NULL::timestamptz, last_used_at, revoked_at
    FROM sdk_keys WHERE workspace_id = ${workspaceId}) AS s
  LEFT JOIN projects AS p ON p.id = s.project_id
  LEFT JOIN environments AS e ON e.id = s.environment_id
  LEFT JOIN users AS u ON u.id = s.user_id`;

/** Newest first; only those within the caller's pin, if it has one. */
export async function listTokens(
  db: Executor,
  workspaceId: string,
  options: {
    kind: 'api' | 'sdk' | undefined;
    includeRevoked: boolean;
    within: Pin | undefined;
    after: string | undefined;
    limit: number;
  },
): Promise<TokenRow[]> {
  const { kind, includeRevoked, within, after, limit } = options;
  const conditions = [
    includeRevoked ? undefined : sql`s.revoked_at IS NULL`,
    kind === undefined ? undefined : sql`s.kind = ${kind}`,
    within === undefined ? undefined : sql`s.project_id = ${within.projectId}`,
    within?.environmentId == null ? undefined : sql`s.environment_id = ${within.environmentId}`,
    after === undefined ? undefined : sql`s.id < ${after}`,
  ].filter((condition) => condition !== undefined);
  const where = conditions.length === 0 ? sql`` : sql`WHERE ${sql.join(conditions, sql` AND `)}`;
  const { rows } = await sql<TokenRow>`${bothKinds(workspaceId)} ${where} ORDER BY s.id DESC LIMIT ${limit}`.execute(
    db,
  );
  return rows;
}

export async function findToken(db: Executor, workspaceId: string, id: string): Promise<TokenRow | undefined> {
  const { rows } = await sql<TokenRow>`${bothKinds(workspaceId)} WHERE s.id = ${id}`.execute(db);
  return rows[0];
}

/** When the calling token expires; null: never. */
export async function findEnd(db: Executor, tokenId: string): Promise<Date | null> {
  const row = await db.selectFrom('api_tokens').select('expires_at').where('id', '=', tokenId).executeTakeFirst();
  return row?.expires_at ?? null;
}

export async function countTokens(db: Executor, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT ((SELECT count(*) FROM api_tokens WHERE workspace_id = ${workspaceId} AND revoked_at IS NULL)
      + (SELECT count(*) FROM sdk_keys WHERE workspace_id = ${workspaceId} AND revoked_at IS NULL))::int AS count`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

interface NewSecret {
  readonly id: string;
  readonly workspaceId: string;
  readonly userId: string;
  readonly name: string;
  readonly prefix: string;
  readonly hash: Buffer;
  readonly now: Date;
}

export async function insertApiToken(
  trx: Executor,
  token: NewSecret & {
    permissions: string[];
    projectId: string | null;
    environmentId: string | null;
    expiresAt: Date | null;
  },
): Promise<void> {
  await trx
    .insertInto('api_tokens')
    .values({
      id: token.id,
      workspace_id: token.workspaceId,
      user_id: token.userId,
      name: token.name,
      prefix: token.prefix,
      secret_hash: token.hash,
      permissions: token.permissions,
      project_id: token.projectId,
      environment_id: token.environmentId,
      expires_at: token.expiresAt,
      last_used_at: null,
      revoked_at: null,
      created_at: token.now,
    })
    .execute();
}

export async function insertSdkKey(
  trx: Executor,
  key: NewSecret & {
    kind: 'server' | 'client';
    allowedOrigins: string[];
    payloadKey: string | null;
    projectId: string;
    environmentId: string;
  },
): Promise<void> {
  await trx
    .insertInto('sdk_keys')
    .values({
      id: key.id,
      workspace_id: key.workspaceId,
      project_id: key.projectId,
      environment_id: key.environmentId,
      name: key.name,
      kind: key.kind,
      allowed_origins: key.allowedOrigins,
      payload_key: key.payloadKey,
      prefix: key.prefix,
      secret_hash: key.hash,
      created_by: key.userId,
      last_used_at: null,
      revoked_at: null,
      created_at: key.now,
    })
    .execute();
}

/** Of all workspaces, for the rotation of the secret key. */
export async function listPayloadKeys(db: Executor): Promise<{ id: string; payload_key: string | null }[]> {
  return db
    .selectFrom('sdk_keys')
    .select(['id', 'payload_key'])
    .where('payload_key', 'is not', null)
    .orderBy('id')
    .execute();
}

/** False: somebody changed it meanwhile. */
export async function replacePayloadKey(
  db: Executor,
  id: string,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sdk_keys')
    .set({ payload_key: to })
    .where('id', '=', id)
    .where('payload_key', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** False when it is already revoked. */
export async function revokeToken(trx: Executor, kind: 'api' | 'sdk', id: string, now: Date): Promise<boolean> {
  const row = await trx
    .updateTable(kind === 'api' ? 'api_tokens' : 'sdk_keys')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}
