import { type AnyRoute, takesIfMatch } from '@fanion/contract';
import type { FastifyRequest } from 'fastify';
import { fail } from '../platform/fail.ts';

/** A number, bare or as an entity tag: `3`, `"3"`. Weak tags never match (RFC 9110 §13.1.1), and `*` names no version. */
const versionTag = /^(?:"(\d{1,15})"|(\d{1,15}))$/;

/**
 * The body of a write, with the version that `If-Match` names. Throws `INVALID_INPUT` for a header that names no version,
 * another one than the body, or one of a resource without versions: ignoring it would overwrite what the client wants to
 * keep.
 */
export function withIfMatch(route: AnyRoute, { headers, body }: Pick<FastifyRequest, 'headers' | 'body'>): unknown {
  const header = headers['if-match'];
  if (header === undefined || route.reads || route.bodies === 'protocol') return body;
  const refuse = (message: string) =>
    fail('INVALID_INPUT', { reason: `If-Match: ${message}` }, { details: [{ path: 'version', message }] });
  if (!takesIfMatch(route)) throw refuse('this route compares no version: leave the header out');
  const [, quoted, bare] = versionTag.exec(header.trim()) ?? [];
  const text = quoted ?? bare;
  if (text === undefined) throw refuse('send the version that you have read, such as If-Match: "3"');
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const version = Number(text);
  const given = (body as { readonly version?: unknown }).version;
  if (given !== undefined && given !== version)
    throw refuse(`names the version ${version}, and the body another one: send one of them`);
  return { ...body, version };
}
