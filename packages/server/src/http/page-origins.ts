import type { AnyRoute } from '@fanion/contract';
import type { FastifyInstance } from 'fastify';
import type { SdkCaller } from './caller.ts';
import type { Identify } from './identify.ts';

/** The headers that let a page of an allowed origin read the response; undefined: it may not. */
export function allowedOrigin(
  caller: SdkCaller,
  origin: string | undefined,
): Readonly<Record<string, string>> | undefined {
  if (origin === undefined || !caller.allowedOrigins.includes(origin)) return undefined;
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'ETag, Retry-After',
    vary: 'Origin',
  };
}

/** The same for SDKs of other products, which read more. */
export function foreignOrigin(
  caller: SdkCaller,
  origin: string | undefined,
): Readonly<Record<string, string>> | undefined {
  const allowed = allowedOrigin(caller, origin);
  return allowed && { ...allowed, 'access-control-expose-headers': 'Date, ETag, Retry-After, X-SSE-Support' };
}

/**
 * Lets a page of an allowed origin read every response to its SDK key, also the errors before the handler runs, such as those of
 * unreadable bodies. Evaluation below the framework and streams set these headers themselves.
 */
export function letPagesRead(app: FastifyInstance, identify: Identify): void {
  app.addHook('onRequest', async (request, reply) => {
    const { route } = request.routeOptions.config as { readonly route?: AnyRoute };
    const { origin } = request.headers;
    if (origin === undefined || route?.auth !== 'sdk') return;
    // Admission rejects an invalid key afterwards. Its origins are unknown.
    const caller = await identify(request).catch(() => undefined);
    const allowed = caller?.kind === 'sdk' ? foreignOrigin(caller, origin) : undefined;
    if (allowed !== undefined) reply.headers(allowed);
  });
}
