import { createRandom, type Random } from '../../random.ts';
import { type HttpRoute, respond, serverSpec } from '../dependencies.ts';
import type { Operation } from '../operation.ts';
import { type Scope, trace } from '../scope.ts';
import type { Visit } from '../visit.ts';

const HALF_HOUR = 30 * 60_000;

/** A visitor who returns within half an hour has the same session. */
export function sessionOf(visit: Visit): string {
  return createRandom('session', visit.visitor.id, Math.floor(visit.at / HALF_HOUR)).hex(8);
}

/** The visitor's cart lives for the session. */
export function cartOf(visit: Visit): string {
  return `cart_${createRandom('cart', sessionOf(visit)).hex(6)}`;
}

/** A browser's request at the frontend, the edge of the shop: the root of a trace. */
export function pageRequest(
  visit: Visit,
  random: Random,
  to: Omit<HttpRoute, 'service'> & { query?: string },
  handler: (scope: Scope) => number,
): Operation {
  const { visitor } = visit;
  const { query, ...route } = to;
  const spec = serverSpec(
    { service: 'frontend', ...route },
    {
      'url.scheme': 'https',
      'server.address': 'shop.example',
      'server.port': 443,
      'network.protocol.version': '2',
      'client.address': visitor.address,
      'user_agent.original': visitor.userAgent,
      'session.id': sessionOf(visit),
      'user.id': visitor.id,
      'geo.country.iso_code': visitor.country,
      'shop.visitor.plan': visitor.plan,
      'shop.visitor.device': visitor.device,
      ...(query === undefined ? {} : { 'url.query': query }),
    },
  );
  return trace(random, visit.at, spec, (scope) => {
    scope.spend(1.5);
    const status = handler(scope);
    scope.spend(2.5);
    respond(scope, status);
    const tookMs = Math.round(scope.now() - visit.at);
    scope[status >= 500 ? 'error' : 'info'](
      `${visitor.address} "${to.method} ${to.path} HTTP/2" ${status} ${tookMs}ms`,
      { 'http.response.status_code': status, 'session.id': sessionOf(visit) },
    );
  });
}
