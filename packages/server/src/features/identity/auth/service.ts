import { isPermission } from '@fanion/contract';
import type { SessionCaller, UserCaller } from '../../../http/caller.ts';
import type { Origin } from '../../../http/context.ts';
import { addressSubject } from '../../../platform/address.ts';
import { fail } from '../../../platform/fail.ts';
import { newId } from '../../../platform/ids.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import { announceAccessChange } from '../access/index.ts';
import { recordAudit } from '../audit/index.ts';
import { createWorkspaceWithDefaults } from '../workspaces/index.ts';
import type { Attempts } from './attempts.ts';
import type { Devices } from './devices.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { type AuthLimits, defaultWorkspaceName } from './rules.ts';
import { actingAs, type Browser, openSession } from './sessions.ts';
import * as store from './store.ts';

export interface AccountsDependencies extends FeatureDependencies {
  readonly signup: 'open' | 'invite';
  readonly limits: AuthLimits;
  readonly devices: Devices;
  readonly attempts: Attempts;
}

export interface SignedIn {
  readonly user: store.UserRow;
  /** The value of the session cookie. */
  readonly session: string;
  /** The value of the cookie that identifies this device. */
  readonly device: string;
}

/**
 * The address is not verified: it names the account here and proves nothing elsewhere. So a sign-in with a provider
 * never takes over an account by its address.
 */
export async function signUp(
  parts: AccountsDependencies,
  input: { email: string; password: string; name: string; workspaceName: string | undefined },
  browser: Browser,
  origin: Origin,
) {
  const { attempts, limits, db, clock, signup, devices, access } = parts;

  await attempts.take(limits.signupAddress, addressSubject(browser.ip));
  await requireSignupOpen(parts, db);
  const passwordHash = await hashPassword(input.password);
  const now = new Date(clock.now());
  const signedUp = await db.transaction().execute(async (trx) => {
    if (signup === 'invite') {
      // With two first sign-ups at the same moment, the lock lets one of them be first.
      await store.lockUsers(trx);
      await requireSignupOpen(parts, trx);
    }
    const user = await store.insertUser(trx, {
      id: newId(now.getTime()),
      email: input.email,
      name: input.name,
      passwordHash,
      now,
    });
    if (user === undefined) throw fail('EMAIL_TAKEN');
    const name = input.workspaceName ?? defaultWorkspaceName(input.name);
    const workspace = await createWorkspaceWithDefaults(trx, { name, ownerUserId: user.id, now });
    const session = await openSession(trx, user.id, browser, now);
    const fact = {
      workspaceId: workspace.id,
      action: 'auth.signup',
      resource: { type: 'user', id: user.id, name: user.email },
      after: {
        user: { id: user.id, email: user.email, name: user.name },
        workspace: { id: workspace.id, slug: workspace.slug, name: workspace.name },
      },
    };
    await recordAudit(trx, actingAs(origin, user), fact, now);
    return { user, workspace, session, device: devices.remember(browser.device, user.id) };
  });
  if (browser.cookie !== undefined) access.forget();
  return signedUp;
}

/** Every failure is `LOGIN_FAILED`, after the work of one password hash. */
export async function logIn(
  parts: AccountsDependencies,
  input: { email: string; password: string },
  browser: Browser,
  origin: Origin,
): Promise<SignedIn> {
  const { db, clock, access, devices } = parts;

  const user = await store.findUserByEmail(db, input.email);
  const succeeded = await takeLogin(parts, input.email, user, browser);
  const right = await verifyPassword(user?.password_hash, input.password);
  if (user === undefined || !right) throw fail('LOGIN_FAILED');
  const now = new Date(clock.now());
  const session = await db.transaction().execute(async (trx) => {
    // If the password changed during the check, all sessions have ended; this one must not begin.
    if (!(await store.lockUserWithPassword(trx, user.id, user.password_hash))) throw fail('LOGIN_FAILED');
    const secret = await openSession(trx, user.id, browser, now);
    const fact = {
      workspaceId: null,
      action: 'auth.login',
      resource: { type: 'user', id: user.id, name: user.email },
    };
    await recordAudit(trx, actingAs(origin, user), fact, now);
    return secret;
  });
  if (browser.cookie !== undefined) access.forget();
  await succeeded();
  return { user, session, device: devices.remember(browser.device, user.id) };
}

export async function logOut(
  { db, clock, access }: AccountsDependencies,
  caller: SessionCaller,
  origin: Origin,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await store.deleteSession(trx, caller.sessionHash);
    await announceAccessChange(trx, { userId: caller.user.id });
    const fact = {
      workspaceId: null,
      action: 'auth.logout',
      resource: { type: 'user', id: caller.user.id, name: caller.user.email },
    };
    await recordAudit(trx, origin, fact, new Date(clock.now()));
  });
  access.forget({ userId: caller.user.id });
}

/** The account and its workspaces. A token sees its own workspace and its permissions there. */
export async function me(parts: AccountsDependencies, caller: UserCaller) {
  const { db, access } = parts;

  const user = await requireUser(parts, caller.user.id);
  const memberships = await store.listMemberships(db, user.id);
  const token = caller.kind === 'token' ? { id: caller.workspaceId, scope: await access.scope(caller, {}) } : undefined;
  const workspaces = memberships
    .filter(({ id }) => token === undefined || id === token.id)
    .map(({ id, slug, name, role_key, role_name, permissions }) => ({
      id,
      slug,
      name,
      role: role_key ?? role_name,
      permissions: token === undefined ? permissions.filter(isPermission) : [...token.scope.permissions],
    }));
  return { user, workspaces };
}

export async function rename(
  { clock, db, access }: AccountsDependencies,
  caller: SessionCaller,
  name: string,
  origin: Origin,
): Promise<store.UserRow> {
  const now = new Date(clock.now());
  const renamed = await db.transaction().execute(async (trx) => {
    const user = await store.renameUser(trx, caller.user.id, name, now);
    if (user === undefined) throw fail('NOT_FOUND', { resource: 'account' });
    if (name === caller.user.name) return user;
    await announceAccessChange(trx, { userId: user.id });
    const fact = {
      workspaceId: null,
      action: 'auth.update_me',
      resource: { type: 'user', id: user.id, name: user.email },
      before: { name: caller.user.name },
      after: { name },
    };
    await recordAudit(trx, origin, fact, now);
    return user;
  });
  access.forget({ userId: renamed.id });
  return renamed;
}

/**
 * Sets a new password and ends all other sessions. Guesses of the current one count as login attempts. An account
 * that came through a provider has no current one.
 */
export async function changePassword(
  parts: AccountsDependencies,
  caller: SessionCaller,
  input: { current: string | undefined; next: string },
  origin: Origin,
): Promise<void> {
  const { attempts, limits, clock, db, access } = parts;

  const user = await requireUser(parts, caller.user.id);
  if (user.password_hash !== null) {
    // Attempts of a signed-in person are counted separately from those of strangers.
    const session = `${user.id} session ${caller.sessionHash.toString('hex')}`;
    await attempts.take(limits.loginDevice, session);
    if (!(await verifyPassword(user.password_hash, input.current ?? ''))) throw fail('PASSWORD_WRONG');
    await attempts.clear(limits.loginDevice, session);
  }
  const passwordHash = await hashPassword(input.next);
  const now = new Date(clock.now());
  await db.transaction().execute(async (trx) => {
    if (!(await store.lockUserWithPassword(trx, user.id, user.password_hash))) throw fail('PASSWORD_WRONG');
    await store.setPassword(trx, user.id, passwordHash, now);
    const ended = await store.deleteOtherSessions(trx, user.id, caller.sessionHash);
    await announceAccessChange(trx, { userId: user.id });
    const fact = {
      workspaceId: null,
      action: 'auth.password',
      resource: { type: 'user', id: user.id, name: user.email },
      after: { sessions_ended: ended },
    };
    await recordAudit(trx, origin, fact, now);
  });
  access.forget({ userId: user.id });
}

/** Throws `SIGNUP_CLOSED` where sign-up is by invitation, except for the very first account. */
async function requireSignupOpen(
  { signup }: AccountsDependencies,
  executor: Parameters<typeof store.anyUser>[0],
): Promise<void> {
  if (signup === 'invite' && (await store.anyUser(executor))) throw fail('SIGNUP_CLOSED');
}

/** Counts a login attempt, and returns what to call when it succeeds. */
async function takeLogin(
  { attempts, devices, limits }: AccountsDependencies,
  email: string,
  user: store.UserRow | undefined,
  browser: Browser,
): Promise<() => Promise<void>> {
  const device = user && devices.known(browser.device, user.id);
  if (user !== undefined && device !== undefined) {
    const subject = `${user.id} device ${device}`;
    await attempts.take(limits.loginDevice, subject);
    return () => attempts.clear(limits.loginDevice, subject);
  }
  const address = addressSubject(browser.ip);
  // The address first: an address over its limit must not use up an account's attempts.
  await attempts.take(limits.loginAddress, address);
  const from = `${email} ${address}`;
  const pressed = (await attempts.count(limits.loginAccount, email)) > limits.loginAccount.attempts;
  const own = limits.loginAccountAddress;
  await attempts.take(pressed ? { ...own, attempts: limits.loginPressed } : own, from);
  return async () => {
    await attempts.clear(own, from);
    await attempts.giveBack(limits.loginAccount, email);
    await attempts.giveBack(limits.loginAddress, address);
  };
}

async function requireUser({ db }: AccountsDependencies, id: string): Promise<store.UserRow> {
  const user = await store.findUser(db, id);
  if (user === undefined) throw fail('UNAUTHENTICATED', { reason: 'the account was deleted' });
  return user;
}
