import { isOneLine } from '@fanion/contract';
import { ConfigError } from './error.ts';

export interface OidcConfig {
  readonly slug: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The workspace (slug) to which people who sign in are added, and the role of each of their groups. */
  readonly workspace: string | undefined;
  readonly groupsClaim: string;
  readonly groupRoles: ReadonlyMap<string, string>;
  readonly defaultRole: string | undefined;
}

export const variablesOfProviders =
  /^FANION_OIDC_[A-Z0-9]+_(ISSUER|CLIENT_ID|CLIENT_SECRET|NAME|WORKSPACE|GROUPS_CLAIM|GROUP_ROLES|DEFAULT_ROLE)$/;

/** `FANION_OIDC_<SLUG>_ISSUER`, `_CLIENT_ID`, `_CLIENT_SECRET`, and optionally `_NAME`, `_WORKSPACE`, `_GROUPS_CLAIM`, `_GROUP_ROLES` (`group=role,…`), `_DEFAULT_ROLE`. */
export function readOidc(env: Readonly<Record<string, string>>): OidcConfig[] {
  const slugs = Object.keys(env).flatMap((name) => /^FANION_OIDC_([A-Z0-9]+)_ISSUER$/.exec(name)?.[1] ?? []);
  return slugs.map((upper) => {
    const read = (name: string) => env[`FANION_OIDC_${upper}_${name}`];
    const need = (name: string) => {
      const value = read(name);
      if (value === undefined)
        throw new ConfigError(`FANION_OIDC_${upper}_${name}: missing, but FANION_OIDC_${upper}_ISSUER is set`);
      return value;
    };
    const slug = upper.toLowerCase();
    const pairs = (read('GROUP_ROLES') ?? '').split(',').filter((pair) => pair !== '');
    const groupRoles = new Map(
      pairs.map((pair) => {
        const [group, role] = pair.split('=');
        if (!group || !role)
          throw new ConfigError(`FANION_OIDC_${upper}_GROUP_ROLES: ${pair} invalid pair: write group=role`);
        return [group, role] as const;
      }),
    );
    const issuer = need('ISSUER');
    if (!URL.canParse(issuer) || !isOneLine(issuer))
      throw new ConfigError(`FANION_OIDC_${upper}_ISSUER: ${JSON.stringify(issuer)} is not a URL`);
    return {
      slug,
      name: read('NAME') ?? slug,
      issuer,
      clientId: need('CLIENT_ID'),
      clientSecret: need('CLIENT_SECRET'),
      workspace: read('WORKSPACE'),
      groupsClaim: read('GROUPS_CLAIM') ?? 'groups',
      groupRoles,
      defaultRole: read('DEFAULT_ROLE'),
    };
  });
}
