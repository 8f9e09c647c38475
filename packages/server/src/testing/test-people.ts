import type { FeatureDependencies } from '../features/dependencies.ts';
import { authFeature, defaultLimits } from '../features/identity/auth/index.ts';
import { createInviteAccount, invitationsFeature } from '../features/identity/invitations/index.ts';
import { membersFeature } from '../features/identity/members/index.ts';
import type { MountedRoute } from '../http/context.ts';
import { newId } from '../platform/ids.ts';
import type { Mail, Mailer } from '../platform/mail/index.ts';
import type { Database } from '../platform/postgres/database.ts';
import { mintSecret } from '../platform/secrets.ts';
import type { TestAnswer, TestApp, TestRequest } from './test-app.ts';

/** A mailer that keeps its mails. */
export function keepingMailer(outcome: 'sent' | 'written' | 'failed' = 'sent'): Mailer & { readonly mails: Mail[] } {
  const mails: Mail[] = [];
  return {
    mails,
    async send(mail) {
      mails.push(mail);
      return outcome;
    },
    async deliver(mail) {
      mails.push(mail);
      return outcome === 'failed'
        ? { kind: 'failed', permanent: false, error: 'no mail server' }
        : { kind: outcome, answer: '250 OK' };
    },
    close() {},
  };
}

/** Accounts, members and invitations, for `startTestApp`. */
export function peopleFeatures(options: { mailer?: Mailer; baseUrl?: string; signup?: 'open' | 'invite' } = {}) {
  const { mailer = keepingMailer(), baseUrl, signup = 'open' } = options;
  return (dependencies: FeatureDependencies): MountedRoute[] => [
    ...authFeature.routes({
      ...dependencies,
      config: { baseUrl, signup, oidc: [], secretKey: testSecretKey },
      limits: defaultLimits,
    }),
    ...membersFeature.routes({
      ...dependencies,
      inviteAccount: createInviteAccount({ ...dependencies, mailer, config: { baseUrl } }),
    }),
    ...invitationsFeature.routes({ ...dependencies, mailer, config: { baseUrl, secretKey: testSecretKey } }),
  ];
}

export const testSecretKey = Buffer.from('the secret key of a test server, 32 bytes');

export interface Person {
  readonly email: string;
  readonly name: string;
  readonly userId: string;
  readonly cookie: string;
  /** Id of the workspace that was created with the account. */
  readonly workspaceId: string;
  call(method: string, path: string, body?: unknown, more?: TestRequest): Promise<TestAnswer>;
}

export const personPassword = 'correct horse battery staple';

export async function signUpPerson(app: TestApp, name: string): Promise<Person> {
  const email = `${name}@example.com`;
  const answer = await app.call('POST', '/auth/signup', {
    body: { email, name, password: personPassword, workspace_name: `${name} workspace` },
  });
  if (answer.status !== 201 || answer.cookie === undefined) throw new Error(`sign-up: ${answer.text}`);
  const { cookie } = answer;
  return {
    email,
    name,
    userId: answer.data.user.id,
    cookie,
    workspaceId: answer.data.workspace.id,
    call: (method, path, body, more) =>
      app.call(method, path, { ...(body !== undefined && { body }), ...more, cookie }),
  };
}

/** Inserts an API token; returns the secret. */
export async function giveToken(
  db: Database,
  token: { workspaceId: string; userId: string; permissions: readonly string[]; projectId?: string },
): Promise<string> {
  const { secret, hash, prefix } = mintSecret('svc_pat_');
  await db
    .insertInto('api_tokens')
    .values({
      id: newId(),
      workspace_id: token.workspaceId,
      user_id: token.userId,
      name: 'a token',
      prefix,
      secret_hash: hash,
      permissions: [...token.permissions],
      project_id: token.projectId ?? null,
    })
    .execute();
  return secret;
}

/** Inserts a custom role; returns its id. */
export async function giveRole(
  db: Database,
  role: { workspaceId: string; name: string; permissions: readonly string[] },
): Promise<string> {
  const id = newId();
  await db
    .insertInto('roles')
    .values({
      id,
      workspace_id: role.workspaceId,
      key: null,
      name: role.name,
      description: '',
      permissions: [...role.permissions],
    })
    .execute();
  return id;
}

/** Makes one person a member of another's own workspace, so that they share one. */
export async function acquaint(db: Database, one: Person, other: Person): Promise<void> {
  const { id } = await db
    .selectFrom('roles')
    .select('id')
    .where('workspace_id', '=', other.workspaceId)
    .where('key', '=', 'viewer')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('members')
    .values({ id: newId(), workspace_id: other.workspaceId, user_id: one.userId, role_id: id })
    .execute();
}
