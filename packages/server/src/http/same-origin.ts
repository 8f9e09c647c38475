import type { FastifyRequest } from 'fastify';

/**
 * Whether a change comes from a page of this server. Pages cannot forge `Origin` and `Sec-Fetch-Site`. With a session
 * cookie one of them is required; without one (at login) they are only checked if present.
 */
export function sameOrigin(request: FastifyRequest, baseUrl: string | undefined, required: boolean): boolean {
  const { origin, host } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (origin !== undefined)
    return (
      origin === (baseUrl ? new URL(baseUrl).origin : `${request.protocol}://${host ?? ''}`) ||
      (baseUrl === undefined && stripScheme(origin) === host)
    );
  if (site !== undefined) return site === 'same-origin';
  return !required;
}

function stripScheme(origin: string): string {
  return origin.replace(/^https?:\/\//, '');
}
