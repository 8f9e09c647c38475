import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startTestApp } from '../../../../testing/test-app.ts';
import { startTestPglite } from '../../../../testing/test-database.ts';
import { callbackOf, oidcConfig, refused, refusedByProvider, setUpOidc } from '../../../../testing/test-oidc.ts';
import { testClient } from '../../../../testing/test-oidc-provider.ts';
import { authFeature } from '../index.ts';

describe('identity providers', () => {
  const t = setUpOidc(startTestPglite);

  describe('a dishonest provider', () => {
    async function throughLiar() {
      const { location, cookie } = await t.begin('liar');
      t.liar.nonce.current = location.searchParams.get('nonce') ?? '';
      const query = new URLSearchParams({ state: location.searchParams.get('state') ?? '', code: 'x' });
      return t.finish(new URL(`${callbackOf('liar')}?${query}`), cookie);
    }

    it('is accepted as long as it tells the truth', async () => {
      expect((await throughLiar()).status).toBe(302);
    });

    it.each([
      ['speaks for another issuer', { claims: { iss: 'https://accounts.example.com' } }],
      ['gives a token for another client', { claims: { aud: 'another' } }],
      [
        'gives a token for several, and another may use it',
        { claims: { aud: [testClient.id, 'another'], azp: 'another' } },
      ],
      ['gives a token that has expired', { claims: { exp: 1_600_000_000, iat: 1_599_999_000 } }],
      ['gives a token without a nonce', { claims: { nonce: undefined } }],
      ['gives a token without a subject', { claims: { sub: undefined } }],
      ['signs with another key', { key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey }],
      ['does not sign', { header: { alg: 'none' }, key: 'none' as const }],
      ['does not sign and says that it did', { key: 'none' as const }],
    ])('is rejected when it %s', async (_what, lie) => {
      await t.begin('liar');
      t.liar.lie.current = lie;
      expect(await throughLiar()).toMatchObject(refusedByProvider);
      expect(await t.database.db.selectFrom('users').select('id').execute()).toEqual([]);
    });

    it('is unusable when it lies about its own issuer', async () => {
      t.liar.lie.current = { issuer: t.acme.issuer };
      expect(await t.app.call('GET', '/auth/oidc/liar/start')).toMatchObject(refused(/cannot be reached/));
    });

    it('cannot claim an identity of another provider', async () => {
      const ada = await t.me((await t.signIn()).cookie);
      t.liar.lie.current = { claims: { sub: 'ada', email: 'ada@example.com' } };
      expect(await throughLiar()).toMatchObject(refused(/log in with its password first/));
      t.liar.lie.current = { claims: { sub: 'ada', email: 'mallory@example.com' } };
      expect((await t.me((await throughLiar()).cookie)).user.id).not.toBe(ada.user.id);
    });
  });

  describe('a provider that', () => {
    it('fails is asked again, and its earlier answer is used meanwhile', async () => {
      t.liar.lie.current = {
        answer: (_request, response) => {
          response.statusCode = 503;
          response.end();
          return true;
        },
      };
      expect(await t.app.call('GET', '/auth/oidc/liar/start')).toMatchObject(refused(/cannot be reached/));
      const broken = t.liar.lie.current;
      t.liar.lie.current = {};
      await t.begin('liar');
      t.liar.lie.current = broken;
      t.clock.advance(2 * 3_600_000);
      await t.begin('liar');
    });

    it('answers discovery is asked once an hour, however many people sign in', async () => {
      t.liar.requests.length = 0;
      await Promise.all([t.begin('liar'), t.begin('liar'), t.begin('liar')]);
      await t.begin('liar');
      expect(t.liar.requests).toEqual(['/.well-known/openid-configuration']);
      t.clock.advance(3_600_001);
      await t.begin('liar');
      expect(t.liar.requests).toHaveLength(2);
    });

    it('never ends its answer is cut off', async () => {
      t.liar.lie.current = {
        answer: (_request, response) => {
          response.setHeader('content-type', 'application/json');
          const more = () => {
            while (!response.destroyed && response.write(' '.repeat(65_536)));
          };
          response.on('drain', more);
          more();
          return true;
        },
      };
      expect(await t.app.call('GET', '/auth/oidc/liar/start')).toMatchObject(refused(/cannot be reached/));
    });

    it('redirects is not followed', async () => {
      t.liar.lie.current = {
        answer: (_request, response) => {
          response.writeHead(302, { location: `${t.acme.issuer}/.well-known/openid-configuration` }).end();
          return true;
        },
      };
      expect(await t.app.call('GET', '/auth/oidc/liar/start')).toMatchObject(refused(/cannot be reached/));
    });
  });
});

describe('an issuer in the configuration', () => {
  const configured = (issuer: string) =>
    startTestApp({
      db: undefined as never,
      features: (dependencies) =>
        authFeature.routes({
          ...dependencies,
          config: {
            baseUrl: undefined,
            signup: 'open',
            oidc: [oidcConfig('acme', issuer)],
            secretKey: Buffer.alloc(32),
          },
        }),
    });
  it.each([
    'http://accounts.example.com',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'ftp://127.0.0.1',
    'https://accounts.example.com/.well-known/openid-configuration',
    'https://accounts.example.com/?tenant=x',
  ])('%s is rejected by name at start-up', async (issuer) => {
    await expect(configured(issuer)).rejects.toThrow('FANION_OIDC_ACME_ISSUER');
  });
  it.each([
    'https://accounts.example.com/tenant',
    'http://localhost:9000',
    'http://127.0.0.1:9000',
    'http://[::1]:9000',
  ])('%s is accepted', async (issuer) => {
    await (await configured(issuer)).close();
  });
});
