import { describe, expect, it } from 'vitest';
import { testStores } from '../../../../testing/test-database.ts';
import { callbackOf, notBegun, refusedByProvider, setUpOidc } from '../../../../testing/test-oidc.ts';
import { testClient } from '../../../../testing/test-oidc-provider.ts';
import { signUpPerson } from '../../../../testing/test-people.ts';
import { defaultLimits } from '../index.ts';

describe.each(testStores)('signing in with OpenID Connect on %s', (_name, startStore) => {
  const t = setUpOidc(startStore);

  describe('the start of a sign-in', () => {
    it('sends state, nonce and a PKCE challenge, and a cookie for this browser only', async () => {
      const answer = await t.app.call('GET', '/auth/oidc/acme/start');
      const { searchParams, origin } = new URL(String(answer.headers.location));
      expect(origin).toBe(t.acme.issuer);
      expect(Object.fromEntries(searchParams)).toMatchObject({
        client_id: testClient.id,
        response_type: 'code',
        redirect_uri: callbackOf('acme'),
        scope: 'openid email profile',
        code_challenge_method: 'S256',
        state: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      });
      expect(answer.setCookies[0]).toMatch(/^svc_oidc=[\w-]{43}; /);
      for (const flag of ['HttpOnly', 'SameSite=Lax', 'Path=/api/v1/auth/oidc', 'Max-Age=600'])
        expect(answer.setCookies[0]?.split('; ')).toContain(flag);
      expect(answer.headers['cache-control']).toBe('no-store');
      const row = JSON.stringify(await t.database.db.selectFrom('oidc_flows').selectAll().execute());
      expect(row).not.toContain(searchParams.get('state'));
    });

    it('returns 404 for a provider that is not configured', async () => {
      for (const path of ['start', 'callback?state=x&code=x'])
        expect(await t.app.call('GET', `/auth/oidc/nope/${path}`)).toMatchObject({
          status: 404,
          error: { code: 'SVC-2007' },
        });
    });

    it.each([
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/..//evil.example',
      '/%09/evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
      '',
    ])('returns to this server and not to %j', async (to) => {
      const answer = await t.signIn('ada', { query: `?return_to=${encodeURIComponent(to)}` });
      expect(answer.status).toBe(302);
      const { origin, pathname } = new URL(String(answer.headers.location), 'https://fanion.example/x');
      expect(origin).toBe('https://fanion.example');
      expect(pathname.startsWith('//')).toBe(false);
    });

    it('is limited per address', async () => {
      const { kind, attempts } = defaultLimits.oidcAddress;
      await t.begin();
      await t.database.db.updateTable('attempts').set({ attempts }).where('kind', '=', kind).execute();
      expect(await t.app.call('GET', '/auth/oidc/acme/start')).toMatchObject({
        status: 429,
        error: { code: 'SVC-2003' },
      });
    });
  });

  describe('the callback', () => {
    it('is rejected with another state, without one, or twice', async () => {
      const { location, cookie } = await t.begin();
      const back = await t.acme.authorize(location.href, 'ada');
      for (const state of ['x', 'A'.repeat(43), '']) {
        const forged = new URL(back);
        forged.searchParams.set('state', state);
        expect(await t.finish(forged, cookie)).toMatchObject(notBegun);
      }
      const without = new URL(back);
      without.searchParams.delete('state');
      expect(await t.finish(without, cookie)).toMatchObject(notBegun);
      expect((await t.finish(back, cookie)).status).toBe(302);
      expect(await t.finish(back, cookie)).toMatchObject(notBegun);
    });

    it('is rejected in another browser (login CSRF)', async () => {
      const eves = await t.begin();
      const back = await t.acme.authorize(eves.location.href, 'ada');
      const victims = await t.begin();
      expect(await t.finish(back, undefined)).toMatchObject(notBegun);
      expect(await t.finish(back, victims.cookie)).toMatchObject(notBegun);
      expect(await t.finish(back, `svc_oidc=${'A'.repeat(43)}`)).toMatchObject(notBegun);
      expect((await t.finish(back, eves.cookie)).status).toBe(302);
    });

    it('works for several tabs of one browser', async () => {
      const first = await t.begin();
      const second = await t.begin('acme', '', { headers: { cookie: first.cookie } });
      expect(second.cookie).toBe(first.cookie);
      for (const { location } of [first, second])
        expect((await t.finish(await t.acme.authorize(location.href, 'ada'), first.cookie)).status).toBe(302);
    });

    it('is rejected after ten minutes', async () => {
      const { location, cookie } = await t.begin();
      const back = await t.acme.authorize(location.href, 'ada');
      t.clock.advance(10 * 60_000);
      expect(await t.finish(back, cookie)).toMatchObject(notBegun);
    });

    it('is rejected at the address of another provider (mix-up)', async () => {
      const { location, cookie } = await t.begin('acme');
      const back = await t.acme.authorize(location.href, 'ada');
      back.pathname = '/api/v1/auth/oidc/other/callback';
      expect(await t.finish(back, cookie)).toMatchObject(notBegun);
    });

    it('is rejected with the `iss` of another issuer, or without the one that the provider announced', async () => {
      for (const iss of ['https://evil.example', `${t.acme.issuer}/`, undefined]) {
        const { location, cookie } = await t.begin();
        const back = await t.acme.authorize(location.href, 'ada');
        expect(back.searchParams.get('iss')).toBe(t.acme.issuer);
        if (iss === undefined) back.searchParams.delete('iss');
        else back.searchParams.set('iss', iss);
        expect(await t.finish(back, cookie)).toMatchObject(refusedByProvider);
      }
    });

    it('is rejected when the ID token has another nonce', async () => {
      const { location, cookie } = await t.begin();
      location.searchParams.set('nonce', 'another');
      expect(await t.finish(await t.acme.authorize(location.href, 'ada'), cookie)).toMatchObject(refusedByProvider);
    });

    it('is rejected when the code was requested with another challenge (PKCE)', async () => {
      const { location, cookie } = await t.begin();
      location.searchParams.set('code_challenge', 'A'.repeat(43));
      expect(await t.finish(await t.acme.authorize(location.href, 'ada'), cookie)).toMatchObject(refusedByProvider);
    });

    it('is rejected with the code of another flow (code injection)', async () => {
      t.acme.accounts.set('eve', { email: 'eve@example.com', email_verified: true });
      const adas = await t.begin();
      const stolen = (await t.acme.authorize(adas.location.href, 'ada')).searchParams.get('code') ?? '';
      const eves = await t.begin();
      const back = await t.acme.authorize(eves.location.href, 'eve');
      back.searchParams.set('code', stolen);
      expect(await t.finish(back, eves.cookie)).toMatchObject(refusedByProvider);
    });

    it('is rejected when the person declined, without any text from the provider', async () => {
      const { location, cookie } = await t.begin();
      const state = location.searchParams.get('state') ?? '';
      const query = new URLSearchParams({
        state,
        error: 'access_denied',
        error_description: 'call 0900-EVIL',
        iss: t.acme.issuer,
      });
      const answer = await t.finish(new URL(`${callbackOf('acme')}?${query}`), cookie);
      expect(answer).toMatchObject(refusedByProvider);
      expect(answer.text).not.toContain('EVIL');
    });

    it('accepts unknown parameters, and rejects repeated ones', async () => {
      const { location, cookie } = await t.begin();
      const back = await t.acme.authorize(location.href, 'ada');
      back.searchParams.set('session_state', 'abc');
      const twice = new URL(back);
      twice.searchParams.append('state', 'second');
      expect((await t.finish(twice, cookie)).status).toBe(400);
      expect((await t.finish(back, cookie)).status).toBe(302);
    });

    it('shows the sign-in page with the reason', async () => {
      const answer = await t.finish(new URL(`${callbackOf('acme')}?state=x&code=y`), undefined, {
        accept: 'text/html,*/*',
      });
      expect(answer).toMatchObject({
        status: 302,
        cookie: undefined,
        headers: { location: '/sign-in?error=SVC-2008&provider=acme&reason=state' },
      });
    });

    it("ends the browser's earlier session", async () => {
      const eve = await signUpPerson(t.app, 'eve');
      const answer = await t.signIn('ada', { session: eve.cookie });
      expect(answer.status).toBe(302);
      expect((await eve.call('GET', '/auth/me')).status).toBe(401);
    });
  });

  it('keeps secrets out of the log, the audit log and the responses', async () => {
    const { location, cookie } = await t.begin();
    const back = await t.acme.authorize(location.href, 'ada');
    const flow = await t.database.db.selectFrom('oidc_flows').selectAll().executeTakeFirstOrThrow();
    const answer = await t.finish(back, cookie);
    const wrong = await t.begin();
    wrong.location.searchParams.set('nonce', 'another');
    const second = await t.finish(await t.acme.authorize(wrong.location.href, 'ada'), wrong.cookie);
    const everything = [
      ...t.lines,
      answer.text,
      second.text,
      JSON.stringify(await t.database.db.selectFrom('audit_entries').selectAll().execute()),
    ].join('\n');
    expect(everything).toContain('was refused');
    for (const secret of [
      testClient.secret,
      back.searchParams.get('code'),
      back.searchParams.get('state'),
      flow.code_verifier,
      cookie.split('=')[1],
      answer.cookie?.split('=')[1],
      'eyJ',
    ])
      expect(everything).not.toContain(secret);
  });
});
