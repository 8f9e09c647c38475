import * as client from 'openid-client';
import type { Caller } from '../../../../http/caller.ts';
import type { Origin } from '../../../../http/context.ts';
import { addressSubject } from '../../../../platform/address.ts';
import { dateOf } from '../../../../platform/clock.ts';
import { Failure, fail } from '../../../../platform/fail.ts';
import type { Log } from '../../../../platform/log.ts';
import { hashSecret, mintOpaque } from '../../../../platform/secrets.ts';
import { recordAudit } from '../../audit/index.ts';
import type { Attempts } from '../attempts.ts';
import type { Devices } from '../devices.ts';
import { type AuthLimits, safeReturnPath } from '../rules.ts';
import { actingAs, type Browser, openSession } from '../sessions.ts';
import { type EnrolmentDependencies, enrol } from './enrolment.ts';
import type { Provider, Providers } from './providers.ts';
import { OidcRefused } from './refused.ts';
import { type Claims, readClaims } from './rules.ts';
import * as store from './store.ts';

export const flowMs = 10 * 60_000;

export interface OidcDependencies extends EnrolmentDependencies {
  readonly log: Log;
  readonly providers: Providers;
  readonly attempts: Attempts;
  readonly limits: AuthLimits;
  readonly devices: Devices;
}

interface StartInput {
  readonly returnTo: string | undefined;
  readonly redirectUri: string;
  readonly browserSecret: string | undefined;
  readonly ip: string;
}

export type OidcSignIn = ReturnType<typeof createOidcSignIn>;

/**
 * Sign-in with OpenID Connect: authorization code with PKCE, state and nonce. A cookie binds the flow to the browser,
 * so that nobody can make another person's browser finish their own sign-in. It is also bound to the provider, so that
 * no provider can answer for another (mix-up, RFC 9700, 4.4).
 */
export function createOidcSignIn(dependencies: OidcDependencies) {
  return {
    start: (slug: string, input: StartInput) => start(dependencies, slug, input),

    finish: (
      slug: string,
      input: { callback: URL; browserSecret: string | undefined },
      caller: Caller,
      browser: Browser,
      origin: Origin,
    ) => finish(dependencies, slug, input, caller, browser, origin),
  };
}

/** Where to send the browser, and the secret that it must return in its cookie. */
async function start(
  dependencies: OidcDependencies,
  slug: string,
  input: StartInput,
): Promise<{ location: string; browserSecret: string }> {
  const { db, clock, attempts, limits } = dependencies;
  const { config, configuration } = await provider(dependencies, slug);
  await attempts.take(limits.oidcAddress, addressSubject(input.ip));
  const state = mintOpaque();
  const browserSecret = input.browserSecret ?? mintOpaque().secret;
  const nonce = client.randomNonce();
  const codeVerifier = client.randomPKCECodeVerifier();
  await store.insertFlow(db, {
    stateHash: state.hash,
    browserHash: hashSecret(browserSecret),
    slug,
    nonce,
    codeVerifier,
    returnTo: safeReturnPath(input.returnTo),
    expiresAt: dateOf(clock, flowMs),
  });
  const groups = config.groupRoles.size > 0 && configuration.serverMetadata().scopes_supported?.includes('groups');
  const location = client.buildAuthorizationUrl(configuration, {
    redirect_uri: input.redirectUri,
    scope: groups ? 'openid email profile groups' : 'openid email profile',
    state: state.secret,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  });
  return { location: location.href, browserSecret };
}

/**
 * @param callback the address that the provider sent the browser to, with its query
 * @returns the path to go to, and the values of the session cookie and of the device's
 */
async function finish(
  dependencies: OidcDependencies,
  slug: string,
  input: { callback: URL; browserSecret: string | undefined },
  caller: Caller,
  browser: Browser,
  origin: Origin,
): Promise<{ returnTo: string; session: string; device: string }> {
  const { db, clock, access, log, devices } = dependencies;
  const { config, configuration } = await provider(dependencies, slug);
  const state = input.callback.searchParams.get('state');
  if (state === null || input.browserSecret === undefined) throw new OidcRefused('state');
  const flow = await store.takeFlow(db, {
    stateHash: hashSecret(state),
    browserHash: hashSecret(input.browserSecret),
    slug,
    now: dateOf(clock),
  });
  if (flow === undefined) throw new OidcRefused('state');
  const claims = await exchange(configuration, input.callback, { ...flow, state }, config.groupsClaim).catch(
    (error: unknown) => {
      log.info({ provider: slug, reason: reasonOf(error) }, 'a sign-in with an identity provider was refused');
      throw new OidcRefused('provider', error);
    },
  );
  const now = dateOf(clock);
  const signedIn = await db.transaction().execute(async (trx) => {
    const { user, ...outcome } = await enrol(dependencies, trx, { config, claims, caller, now });
    const secret = await openSession(trx, user.id, browser, now);
    const fact = {
      workspaceId: outcome.workspaceId,
      action: 'auth.oidc_callback',
      resource: { type: 'user', id: user.id, name: user.email },
      after: { provider: slug, account: outcome.account, role: outcome.role },
    };
    await recordAudit(trx, actingAs(origin, user), fact, now);
    return { session: secret, device: devices.remember(browser.device, user.id) };
  });
  access.forget();
  return { returnTo: flow.returnTo, ...signedIn };
}

async function provider({ providers, log }: OidcDependencies, slug: string): Promise<Provider> {
  const found = providers.find(slug);
  if (found === undefined) throw fail('OIDC_PROVIDER_NOT_FOUND', { slug });
  return found.catch((error: unknown) => {
    log.warn({ err: error, provider: slug }, 'an identity provider could not be discovered');
    throw new OidcRefused('unreachable', error);
  });
}

/**
 * Exchanges the code for tokens. The library checks state, `iss`, signature, issuer, audience, times, nonce and PKCE.
 */
async function exchange(
  configuration: client.Configuration,
  callback: URL,
  flow: store.Flow & { state: string },
  groupsClaim: string,
): Promise<Claims> {
  const tokens = await client.authorizationCodeGrant(configuration, callback, {
    pkceCodeVerifier: flow.codeVerifier,
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('the provider gave no ID token');
  // Providers may leave the scope's claims to the userinfo endpoint (OpenID Connect Core 1.0, 5.4).
  const userinfo =
    configuration.serverMetadata().userinfo_endpoint === undefined
      ? {}
      : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
  return readClaims({ issuer: claims.iss, subject: claims.sub }, { ...userinfo, ...claims }, groupsClaim);
}

/** A word for the log: messages and causes can hold what the provider sent. */
function reasonOf(error: unknown): string {
  if (error instanceof Failure) return error.error;
  if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError)
    return `the provider answered ${error.error.slice(0, 64)}`;
  return error instanceof Error
    ? `${'code' in error ? String(error.code) : error.name}: ${error.message.slice(0, 200)}`
    : 'unknown';
}
