import type { authRoutes } from '@fanion/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Handler } from '../../../../http/context.ts';
import { fail } from '../../../../platform/fail.ts';
import { publicOrigin, readBrowserCookie, setBrowserCookie, setDeviceCookie, setSessionCookie } from '../cookies.ts';
import { browserOf } from '../sessions.ts';
import { OidcRefused } from './refused.ts';
import { flowMs, type OidcSignIn } from './service.ts';

/**
 * Both routes of a sign-in with a provider: the redirect to it, and the callback, which redirects to the page the
 * person wanted.
 */
export function oidcHandlers(
  signIn: OidcSignIn,
  { baseUrl }: { baseUrl: string | undefined },
): {
  startOidc: Handler<typeof authRoutes.startOidc>;
  finishOidc: Handler<typeof authRoutes.finishOidc>;
} {
  /** Must be the same in both requests, or the provider rejects the second. */
  const redirectUri = (request: FastifyRequest, slug: string) =>
    `${publicOrigin(request, baseUrl)}/api/v1/auth/oidc/${encodeURIComponent(slug)}/callback`;

  /** Browsers get the sign-in page with the reason, programs the error. Neither contains text from the provider. */
  function refuse(error: unknown, slug: string, request: FastifyRequest, reply: FastifyReply): undefined {
    if (!(error instanceof OidcRefused)) throw error;
    const failure = fail('OIDC_FAILED', { slug, reason: error.message }, { cause: error });
    if (request.headers.accept?.includes('text/html')) {
      const query = new URLSearchParams({ error: failure.code, provider: slug, reason: error.refusal });
      reply.code(302).header('location', `/sign-in?${query}`).send();
    } else throw failure;
    return undefined;
  }

  return {
    startOidc: async ({ params, query, request, reply, ip }) => {
      try {
        const { location, browserSecret } = await signIn.start(params.slug, {
          returnTo: query.return_to,
          redirectUri: redirectUri(request, params.slug),
          browserSecret: readBrowserCookie(request),
          ip,
        });
        setBrowserCookie(request, reply, baseUrl, browserSecret, flowMs / 1000);
        reply.code(302).header('cache-control', 'no-store').header('location', location).send();
      } catch (error) {
        return refuse(error, params.slug, request, reply);
      }
      return undefined;
    },
    finishOidc: async ({ params, caller, request, reply, origin }) => {
      try {
        const callback = new URL(redirectUri(request, params.slug));
        callback.search = request.url.split('?').slice(1).join('?');
        const input = { callback, browserSecret: readBrowserCookie(request) };
        const browser = browserOf(request);
        const { returnTo, session, device } = await signIn.finish(params.slug, input, caller, browser, origin);
        setSessionCookie(request, reply, baseUrl, session);
        setDeviceCookie(request, reply, baseUrl, device);
        reply.code(302).header('cache-control', 'no-store').header('location', returnTo).send();
      } catch (error) {
        return refuse(error, params.slug, request, reply);
      }
      return undefined;
    },
  };
}
