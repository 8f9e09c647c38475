import { Email, Name } from '@fanion/contract';

/** Why a sign-in with a provider failed: a word for URLs and a sentence for people. */
export const refusals = {
  state: 'this sign-in was not begun in this browser, is too old, or was finished before; begin again',
  provider: 'the provider refused, or its answer is not valid',
  unreachable: 'the provider cannot be reached at the moment',
  email: 'the provider gave no e-mail address that it has verified',
  account_exists:
    'an account with this e-mail address exists; log in with its password first, then sign in with the provider to connect it',
  closed: 'this server is by invitation only, and there is none for this e-mail address',
} as const;
export type Refusal = keyof typeof refusals;

/** What a provider states about a person, once its signature is checked. */
export interface Claims {
  readonly issuer: string;
  readonly subject: string;
  /** Lower case; undefined unless the provider states that it is verified. */
  readonly email: string | undefined;
  readonly name: string | undefined;
  readonly groups: readonly string[];
}

/** Reads the claims of an ID token and of the userinfo endpoint. Claims of an unexpected form are left out. */
export function readClaims(
  identity: { issuer: string; subject: string },
  raw: Readonly<Record<string, unknown>>,
  groupsClaim: string,
): Claims {
  const email = Email.safeParse(raw.email);
  const name = Name.safeParse(raw.name ?? raw.preferred_username);
  const groups = raw[groupsClaim];
  return {
    ...identity,
    // Some providers send the text `true`. Anything else, also a missing claim, means not verified.
    email: email.success && (raw.email_verified === true || raw.email_verified === 'true') ? email.data : undefined,
    name: name.success ? name.data : undefined,
    groups: (Array.isArray(groups) ? groups : [groups]).filter((group) => typeof group === 'string'),
  };
}

/** The role of the person's first group, in the order of the configuration. */
export function roleOfGroups(groupRoles: ReadonlyMap<string, string>, groups: readonly string[]): string | undefined {
  for (const [group, role] of groupRoles) if (groups.includes(group)) return role;
  return undefined;
}

/** Providers must use https. Plain http is allowed only on this machine, where nobody can eavesdrop. */
export function refusedIssuer(issuer: string): string | undefined {
  const url = new URL(issuer);
  const loopback =
    url.hostname === 'localhost' || url.hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback))
    return 'has to be https (http only on loopback)';
  if (url.search !== '' || url.hash !== '') return 'has a query or a fragment';
  // openid-client would treat it as the address of the document and no longer compare the issuer.
  if (url.pathname.includes('/.well-known/')) return 'is the issuer, without /.well-known/…';
  return undefined;
}
