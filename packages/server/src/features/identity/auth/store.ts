import { sql } from 'kysely';
import type { Database, Executor } from '../../../platform/postgres/database.ts';

const userColumns = ['id', 'email', 'name', 'password_hash', 'created_at'] as const;

export async function findUser(db: Executor, id: string) {
  return db.selectFrom('users').select(userColumns).where('id', '=', id).executeTakeFirst();
}
export type UserRow = NonNullable<Awaited<ReturnType<typeof findUser>>>;

export async function findUserByEmail(db: Executor, email: string): Promise<UserRow | undefined> {
  // PostgreSQL rejects a NUL in a text; no address has one.
  if (email.includes('\0')) return undefined;
  return db.selectFrom('users').select(userColumns).where('email', '=', email).executeTakeFirst();
}

export async function anyUser(db: Executor): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Prevents other transactions from adding an account until this one ends. */
export async function lockUsers(trx: Executor): Promise<void> {
  await sql`LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE`.execute(trx);
}

/** undefined when the address is taken. */
export async function insertUser(
  db: Executor,
  user: { id: string; email: string; name: string; passwordHash: string | null; now: Date },
): Promise<UserRow | undefined> {
  return db
    .insertInto('users')
    .values({
      id: user.id,
      email: user.email,
      name: user.name,
      password_hash: user.passwordHash,
      created_at: user.now,
      updated_at: user.now,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning(userColumns)
    .executeTakeFirst();
}

export async function renameUser(db: Executor, id: string, name: string, now: Date): Promise<UserRow | undefined> {
  return db
    .updateTable('users')
    .set({ name, updated_at: now })
    .where('id', '=', id)
    .returning(userColumns)
    .executeTakeFirst();
}

/** Locks the account until the transaction ends, if its password is still the one that was checked. */
export async function lockUserWithPassword(trx: Executor, id: string, passwordHash: string | null): Promise<boolean> {
  const row = await trx
    .selectFrom('users')
    .select('id')
    .where('id', '=', id)
    .where(sql<boolean>`password_hash IS NOT DISTINCT FROM ${passwordHash}`)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

export async function setPassword(db: Executor, id: string, passwordHash: string, now: Date): Promise<void> {
  await db.updateTable('users').set({ password_hash: passwordHash, updated_at: now }).where('id', '=', id).execute();
}

export async function insertSession(
  db: Executor,
  session: { idHash: Buffer; userId: string; now: Date; expiresAt: Date; ip: string | null; userAgent: string | null },
): Promise<void> {
  await db
    .insertInto('sessions')
    .values({
      id_hash: session.idHash,
      user_id: session.userId,
      created_at: session.now,
      last_seen_at: session.now,
      expires_at: session.expiresAt,
      ip: session.ip,
      user_agent: session.userAgent,
    })
    .execute();
}

/** Gives the id of the user whose session it was. */
export async function deleteSession(db: Executor, idHash: Buffer): Promise<string | undefined> {
  const row = await db.deleteFrom('sessions').where('id_hash', '=', idHash).returning('user_id').executeTakeFirst();
  return row?.user_id;
}

/** Returns the number of sessions. */
export async function deleteOtherSessions(db: Executor, userId: string, keep: Buffer): Promise<number> {
  const result = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id_hash', '<>', keep)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** A user's workspaces by name, with the role there. */
export async function listMemberships(db: Executor, userId: string) {
  return db
    .selectFrom('members as m')
    .innerJoin('workspaces as w', 'w.id', 'm.workspace_id')
    .innerJoin('roles as r', 'r.id', 'm.role_id')
    .select(['w.id', 'w.slug', 'w.name', 'r.key as role_key', 'r.name as role_name', 'r.permissions'])
    .where('m.user_id', '=', userId)
    .where('w.deleted_at', 'is', null)
    .orderBy('w.name')
    .orderBy('w.id')
    .limit(1000)
    .execute();
}

export interface AttemptKey {
  readonly kind: string;
  readonly subject: string;
  readonly windowStart: Date;
}

/** One statement, so that simultaneous attempts are all counted. Returns the count, this one included. */
export async function countAttempt(db: Database, key: AttemptKey): Promise<number> {
  const row = await db
    .insertInto('attempts')
    .values({ kind: key.kind, subject: key.subject, window_start: key.windowStart, attempts: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['kind', 'subject', 'window_start'])
        .doUpdateSet({ attempts: sql<number>`attempts.attempts + 1` }),
    )
    .returning('attempts')
    .executeTakeFirstOrThrow();
  return row.attempts;
}

export async function uncountAttempt(db: Database, key: AttemptKey): Promise<void> {
  await db
    .updateTable('attempts')
    .set({ attempts: sql<number>`attempts - 1` })
    .where('kind', '=', key.kind)
    .where('subject', '=', key.subject)
    .where('window_start', '=', key.windowStart)
    .where('attempts', '>', 0)
    .execute();
}

export async function clearAttempts(db: Database, kind: string, subject: string): Promise<void> {
  await db.deleteFrom('attempts').where('kind', '=', kind).where('subject', '=', subject).execute();
}

/** Deletes ended sessions, attempts outside every window, and unfinished sign-ins. */
export async function deleteExpired(
  db: Executor,
  now: Date,
  limits: { attemptsBefore: Date; idleBefore: Date },
): Promise<number> {
  const deleted = await Promise.all([
    db
      .deleteFrom('sessions')
      .where((eb) => eb.or([eb('expires_at', '<=', now), eb('last_seen_at', '<=', limits.idleBefore)]))
      .executeTakeFirst(),
    db.deleteFrom('attempts').where('window_start', '<', limits.attemptsBefore).executeTakeFirst(),
    db.deleteFrom('oidc_flows').where('expires_at', '<=', now).executeTakeFirst(),
  ]);
  return deleted.reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0);
}
