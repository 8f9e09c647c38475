import { createHmac, timingSafeEqual } from 'node:crypto';
import { isId } from '../../../platform/ids.ts';

/**
 * The token stays the same for an hour, so that a client that evaluates again keeps its connection. It is valid for two
 * hours at most.
 */
const windowMs = 3_600_000;
const maxTickets = 10_000;

export interface EventTicket {
  readonly keyId: string;
  readonly environmentId: string;
}

/**
 * A ticket to the refetch events of one environment, for browsers: `EventSource` sends no headers, and an SDK key must
 * not be in a URL. It reveals only that something changed, and ends with its key.
 */
export function mintEventToken(secret: Buffer, { keyId, environmentId }: EventTicket, nowMs: number): string {
  const expiresAt = Math.floor(nowMs / windowMs) * windowMs + 2 * windowMs;
  const payload = `${keyId}.${environmentId}.${expiresAt}`;
  return `${Buffer.from(payload).toString('base64url')}.${sign(secret, payload).toString('base64url')}`;
}

/** Undefined: forged, truncated or expired. */
export function readEventToken(secret: Buffer, token: string, nowMs: number): EventTicket | undefined {
  const [body = '', mac = ''] = token.split('.');
  const payload = Buffer.from(body, 'base64url').toString('utf8');
  const given = Buffer.from(mac, 'base64url');
  const expected = sign(secret, payload);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const [keyId = '', environmentId = '', expiresAt = ''] = payload.split('.');
  if (!isId(keyId) || !isId(environmentId) || Number(expiresAt) <= nowMs) return undefined;
  return { keyId, environmentId };
}

/** Caches the tickets of the hour, so that a bulk answer costs a look-up and no signature. */
export function createEventTickets(secret: Buffer): (ticket: EventTicket, nowMs: number) => string {
  const tokens = new Map<string, string>();
  let window = 0;
  return (ticket, nowMs) => {
    const current = Math.floor(nowMs / windowMs);
    if (current !== window || tokens.size > maxTickets) tokens.clear();
    window = current;
    const known = tokens.get(ticket.keyId);
    if (known !== undefined) return known;
    const token = mintEventToken(secret, ticket, nowMs);
    tokens.set(ticket.keyId, token);
    return token;
  };
}

function sign(secret: Buffer, payload: string): Buffer {
  return createHmac('sha256', secret).update(`ofrep-events ${payload}`).digest();
}
