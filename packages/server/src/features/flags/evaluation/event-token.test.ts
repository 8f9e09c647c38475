import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newId } from '../../../platform/ids.ts';
import { createEventTickets, mintEventToken, readEventToken } from './event-token.ts';

const secret = randomBytes(32);
const ticket = { keyId: newId(), environmentId: newId() };
const now = Date.parse('2026-11-20T12:34:00Z');
const minute = 60_000;

describe('an event stream ticket', () => {
  it('stays the same for an hour and is valid for at least an hour', () => {
    const token = mintEventToken(secret, ticket, now);
    expect(mintEventToken(secret, ticket, now + 20 * minute)).toBe(token);
    expect(mintEventToken(secret, ticket, now + 60 * minute)).not.toBe(token);
    expect(readEventToken(secret, token, now + 60 * minute)).toEqual(ticket);
    expect(readEventToken(secret, token, now + 120 * minute)).toBeUndefined();
  });

  it('is cached for its hour', () => {
    const ticketFor = createEventTickets(secret);
    expect(ticketFor(ticket, now)).toBe(mintEventToken(secret, ticket, now));
    expect(ticketFor(ticket, now + minute)).toBe(ticketFor(ticket, now));
    expect(ticketFor(ticket, now + 60 * minute)).toBe(mintEventToken(secret, ticket, now + 60 * minute));
  });

  it('cannot be forged, changed or truncated', () => {
    const token = mintEventToken(secret, ticket, now);
    expect(readEventToken(randomBytes(32), token, now)).toBeUndefined();
    const [body = '', mac = ''] = token.split('.');
    const longer = Buffer.from(Buffer.from(body, 'base64url').toString().replace(/\d+$/, '9999999999999'));
    expect(readEventToken(secret, `${longer.toString('base64url')}.${mac}`, now)).toBeUndefined();
    for (const bad of ['', '.', body, `${body}.`, `${body}.${mac.slice(1)}`, token.slice(1)])
      expect(readEventToken(secret, bad, now)).toBeUndefined();
  });
});
