import type { OidcConfig } from '../../../../config/oidc.ts';
import type { Caller } from '../../../../http/caller.ts';
import { newId } from '../../../../platform/ids.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Executor } from '../../../../platform/postgres/database.ts';
import type { FeatureDependencies } from '../../../dependencies.ts';
import { assignRole, holdRoleByName } from '../../members/index.ts';
import { createWorkspaceWithDefaults } from '../../workspaces/index.ts';
import { defaultWorkspaceName } from '../rules.ts';
import * as accounts from '../store.ts';
import { OidcRefused } from './refused.ts';
import { type Claims, roleOfGroups } from './rules.ts';
import * as store from './store.ts';

export interface EnrolmentDependencies extends FeatureDependencies {
  readonly signup: 'open' | 'invite';
}

export interface Enrolled {
  readonly user: { readonly id: string; readonly email: string; readonly name: string };
  readonly account: 'known' | 'connected' | 'created';
  /** The workspace in which a role was given, and the role. */
  readonly workspaceId: string | null;
  readonly role: string | null;
}

interface Person {
  readonly config: OidcConfig;
  readonly claims: Claims;
  /** The account that is signed in, if any. */
  readonly caller: Caller;
  readonly now: Date;
}

/**
 * Finds or creates the account of a person who signs in with a provider.
 *
 * The identity is issuer and subject. A known identity signs in, whatever its e-mail address is now. A new one
 * needs an address that the provider verified, and then
 * - is connected to the account that is signed in, if that has the same address;
 * - creates an account, if the address is free and one of these holds: sign-up is open, the configuration names a
 *   role for the person, or there is an invitation for the address;
 * - is rejected if an account has the address. Addresses are not verified at sign-up, so somebody may have entered
 *   another person's: joining the two silently would leave that somebody with access (account pre-hijacking), and a
 *   provider that is careless with addresses would open accounts. The password proves that both are one person.
 *
 * The role of a group is set at each sign-in; the default role only adds members. A person without either keeps the
 * present role.
 */
export async function enrol(
  { signup, log }: Pick<EnrolmentDependencies, 'signup' | 'log'>,
  trx: Executor,
  person: Person,
): Promise<Enrolled> {
  const { now } = person;
  const place = await findPlace(log, trx, person);
  const found = await identify(signup, trx, person, place !== undefined);
  if (place === undefined) return { ...found, ...(await ownWorkspace(signup, trx, found, now)) };
  const change = await assignRole(trx, {
    workspaceId: place.workspaceId,
    userId: found.user.id,
    roleId: place.role.id,
    keepExisting: !place.byGroup,
    now,
  });
  return { ...found, workspaceId: place.workspaceId, role: change === undefined ? null : place.role.name };
}

/** The workspace of the configuration and the role there; undefined: the configuration names none for this person. */
async function findPlace(log: Log, trx: Executor, { config, claims }: Person) {
  if (config.workspace === undefined) return undefined;
  const byGroup = roleOfGroups(config.groupRoles, claims.groups);
  const wanted = byGroup ?? config.defaultRole;
  if (wanted === undefined) return undefined;
  const workspace = await store.findWorkspaceBySlug(trx, config.workspace);
  const role = workspace && (await holdRoleByName(trx, workspace.id, wanted));
  if (workspace === undefined || role === undefined) {
    log.warn(
      { provider: config.slug, workspace: config.workspace, role: wanted },
      'the configuration of an identity provider names a workspace or a role that does not exist',
    );
    return undefined;
  }
  return { workspaceId: workspace.id, role, byGroup: byGroup !== undefined };
}

async function identify(
  signup: EnrolmentDependencies['signup'],
  trx: Executor,
  { config, claims, caller, now }: Person,
  hasPlace: boolean,
): Promise<Pick<Enrolled, 'user' | 'account'>> {
  const findKnown = () => store.findIdentity(trx, claims.issuer, claims.subject);
  const known = await findKnown();
  if (known !== undefined) return { user: known, account: 'known' };
  const { email } = claims;
  if (email === undefined) throw new OidcRefused('email');
  const connect = async (userId: string) => store.insertIdentity(trx, { ...claims, userId, slug: config.slug, now });

  const account = await accounts.findUserByEmail(trx, email);
  if (account !== undefined) {
    // The same person in a second tab may have created it since the first look.
    const meanwhile = await findKnown();
    if (meanwhile !== undefined) return { user: meanwhile, account: 'known' };
    if (caller.kind !== 'session' || caller.user.id !== account.id) throw new OidcRefused('account_exists');
    await connect(account.id);
    return { user: account, account: 'connected' };
  }
  if (!(signup === 'open' || hasPlace || (await store.isInvited(trx, email, now)))) throw new OidcRefused('closed');
  const created = await accounts.insertUser(trx, {
    id: newId(now.getTime()),
    email,
    name: claims.name ?? email.split('@')[0] ?? email,
    passwordHash: null,
    now,
  });
  if (created === undefined) {
    // Another request was faster: the same person in a second tab, or somebody who signed up with the address.
    const meanwhile = await findKnown();
    if (meanwhile === undefined) throw new OidcRefused('account_exists');
    return { user: meanwhile, account: 'known' };
  }
  await connect(created.id);
  return { user: created, account: 'created' };
}

/**
 * With open sign-up a new account gets a workspace, as with a password. An invited person gets none: theirs already
 * exists.
 */
async function ownWorkspace(
  signup: EnrolmentDependencies['signup'],
  trx: Executor,
  found: Pick<Enrolled, 'user' | 'account'>,
  now: Date,
) {
  if (found.account !== 'created' || signup !== 'open') return { workspaceId: null, role: null };
  const name = defaultWorkspaceName(found.user.name);
  const workspace = await createWorkspaceWithDefaults(trx, { name, ownerUserId: found.user.id, now });
  return { workspaceId: workspace.id, role: 'Owner' };
}
