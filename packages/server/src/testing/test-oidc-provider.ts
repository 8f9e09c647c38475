import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export const testClient = { id: 'fanion', secret: 'canary-client-secret-5b1e' };

export interface OidcAccount {
  readonly email?: string;
  readonly email_verified?: unknown;
  readonly name?: string;
  readonly groups?: readonly string[];
}

export interface TestOidcProvider {
  readonly issuer: string;
  /** Accounts by subject; may change while the provider runs. */
  readonly accounts: Map<string, OidcAccount>;
  /** Follows the redirect like a browser that is signed in as `subject`; returns the address of the redirect back. */
  authorize(location: string, subject: string): Promise<URL>;
  close(): Promise<void>;
}

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A real OpenID provider on loopback that logs in and consents automatically. */
export async function startTestOidcProvider(redirectUris: readonly string[]): Promise<TestOidcProvider> {
  const accounts = new Map<string, OidcAccount>();
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const { issuer, close } = await listen((request, response) => handle(request, response));
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: testClient.id,
        client_secret: testClient.secret,
        redirect_uris: redirectUris,
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'test' }] },
    cookies: { keys: ['test'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    findAccount: (_context: unknown, subject: string) => ({
      accountId: subject,
      claims: () => ({ sub: subject, ...accounts.get(subject) }),
    }),
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    ttl: { Interaction: 60, Session: 60, Grant: 60, AccessToken: 60, IdToken: 60, AuthorizationCode: 60 },
  });
  const serve = provider.callback();

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    const subject = request.headers['x-test-subject'];
    if (prompt.name === 'login') {
      await provider.interactionFinished(request, response, { login: { accountId: String(subject) } });
      return;
    }
    const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: testClient.id });
    grant.addOIDCScope(params.scope ?? 'openid');
    await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }
  handle = (request, response) => {
    (request.url?.startsWith('/interaction/') ? interact : serve)(request, response).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  };

  return {
    issuer,
    accounts,
    close,
    async authorize(location, subject) {
      const jar = new Map<string, string>();
      let at = new URL(location);
      for (let hops = 0; hops < 10; hops++) {
        if (at.origin !== issuer) return at;
        const response = await fetch(at, {
          redirect: 'manual',
          headers: {
            cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
            'x-test-subject': subject,
          },
        });
        for (const line of response.headers.getSetCookie()) {
          const [pair = ''] = line.split(';');
          const [name = '', ...value] = pair.split('=');
          jar.set(name, value.join('='));
        }
        const next = response.headers.get('location');
        if (next === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
        at = new URL(next, at);
      }
      throw new Error('the provider sends the browser around in circles');
    },
  };
}

/** What a dishonest provider does differently. */
export interface Lie {
  /** Issuer in the discovery document. */
  readonly issuer?: string;
  /** Claims of the ID token that replace the right ones. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Header of the ID token that replaces the right one. */
  readonly header?: Readonly<Record<string, unknown>>;
  /** Signs the ID token; undefined: the key of the provider. */
  readonly key?: KeyObject | 'none';
  /** Answers any request instead. */
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/**
 * A provider in forty lines that can lie. Its ID token is for `nonce`, which the test takes from the first redirect.
 */
export async function startLyingProvider(): Promise<{
  issuer: string;
  lie: { current: Lie };
  nonce: { current: string };
  requests: string[];
  close(): Promise<void>;
}> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const lie: { current: Lie } = { current: {} };
  const nonce = { current: '' };
  const requests: string[] = [];
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  function idToken(): string {
    const now = Math.floor(Date.now() / 1000);
    const header = { alg: 'RS256', kid: 'test', ...lie.current.header };
    const claims = {
      iss: issuer,
      sub: 'subject',
      aud: testClient.id,
      iat: now,
      exp: now + 60,
      nonce: nonce.current,
      email: 'mallory@example.com',
      email_verified: true,
      ...lie.current.claims,
    };
    const text = `${encode(header)}.${encode(claims)}`;
    if (lie.current.key === 'none') return `${text}.`;
    return `${text}.${sign('sha256', Buffer.from(text), lie.current.key ?? privateKey).toString('base64url')}`;
  }

  const { issuer, close } = await listen((request, response) => {
    requests.push(request.url ?? '');
    if (lie.current.answer?.(request, response)) return;
    const answer = (body: unknown) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body));
    };
    switch (request.url) {
      case '/.well-known/openid-configuration':
        return answer({
          issuer: lie.current.issuer ?? issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        });
      case '/token':
        return answer({ access_token: 'x', token_type: 'Bearer', expires_in: 60, id_token: idToken() });
      case '/jwks':
        return answer({ keys: [{ ...publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'test' }] });
      default:
        response.statusCode = 404;
        response.end();
    }
  });
  return { issuer, lie, nonce, requests, close };
}
