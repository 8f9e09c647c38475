import type { Database, Executor } from '../../../../platform/postgres/database.ts';

export interface Flow {
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly returnTo: string;
}

export async function insertFlow(
  db: Database,
  flow: Flow & { stateHash: Buffer; browserHash: Buffer; slug: string; expiresAt: Date },
): Promise<void> {
  await db
    .insertInto('oidc_flows')
    .values({
      state_hash: flow.stateHash,
      browser_hash: flow.browserHash,
      slug: flow.slug,
      nonce: flow.nonce,
      code_verifier: flow.codeVerifier,
      return_to: flow.returnTo,
      expires_at: flow.expiresAt,
    })
    .execute();
}

/** Ends a flow and returns it, once, and only for the provider and the browser that it began with. */
export async function takeFlow(
  db: Database,
  key: { stateHash: Buffer; browserHash: Buffer; slug: string; now: Date },
): Promise<Flow | undefined> {
  const row = await db
    .deleteFrom('oidc_flows')
    .where('state_hash', '=', key.stateHash)
    .where('browser_hash', '=', key.browserHash)
    .where('slug', '=', key.slug)
    .where('expires_at', '>', key.now)
    .returning(['nonce', 'code_verifier', 'return_to'])
    .executeTakeFirst();
  return row && { nonce: row.nonce, codeVerifier: row.code_verifier, returnTo: row.return_to };
}

/** The account of an identity, locked until the transaction ends. */
export async function findIdentity(trx: Executor, issuer: string, subject: string) {
  return trx
    .selectFrom('identities as i')
    .innerJoin('users as u', 'u.id', 'i.user_id')
    .select(['u.id', 'u.email', 'u.name'])
    .where('i.issuer', '=', issuer)
    .where('i.subject', '=', subject)
    .executeTakeFirst();
}

/** False when the identity already belongs to an account. */
export async function insertIdentity(
  trx: Executor,
  identity: { issuer: string; subject: string; userId: string; slug: string; now: Date },
): Promise<boolean> {
  const row = await trx
    .insertInto('identities')
    .values({
      issuer: identity.issuer,
      subject: identity.subject,
      user_id: identity.userId,
      slug: identity.slug,
      created_at: identity.now,
    })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .returning('subject')
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether any workspace has a pending invitation for this address. */
export async function isInvited(trx: Executor, email: string, now: Date): Promise<boolean> {
  const row = await trx
    .selectFrom('invitations as i')
    .innerJoin('workspaces as w', 'w.id', 'i.workspace_id')
    .select('i.id')
    .where('i.email', '=', email)
    .where('i.accepted_at', 'is', null)
    .where('i.expires_at', '>', now)
    .where('w.deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function findWorkspaceBySlug(trx: Executor, slug: string): Promise<{ id: string } | undefined> {
  return trx
    .selectFrom('workspaces')
    .select('id')
    .where('slug', '=', slug)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}
