import type { FastifyRequest } from 'fastify';
import type { Origin } from '../../../http/context.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { hashSecret, mintOpaque } from '../../../platform/secrets.ts';
import { sessionAbsoluteMs } from '../access/index.ts';
import { deviceCookie, sessionCookie } from './cookies.ts';
import * as store from './store.ts';

/** What a session remembers of where it began. */
export interface Browser {
  readonly ip: string;
  readonly userAgent: string | null;
  /** The session cookie that it came with, of whatever session that was. */
  readonly cookie: string | undefined;
  /** The cookie by which a device is known again. */
  readonly device: string | undefined;
}

export function browserOf(request: FastifyRequest): Browser {
  return {
    ip: request.ip,
    userAgent: request.headers['user-agent']?.slice(0, 300) ?? null,
    cookie: request.cookies[sessionCookie],
    device: request.cookies[deviceCookie],
  };
}

/**
 * Begins a session and gives its cookie. The session that the browser had ends: a cookie from before signing in never
 * becomes the one after (session fixation).
 */
export async function openSession(trx: Executor, userId: string, browser: Browser, now: Date): Promise<string> {
  if (browser.cookie !== undefined) await store.deleteSession(trx, hashSecret(browser.cookie));
  const { secret, hash } = mintOpaque();
  await store.insertSession(trx, {
    idHash: hash,
    userId,
    now,
    expiresAt: new Date(now.getTime() + sessionAbsoluteMs),
    ip: browser.ip,
    userAgent: browser.userAgent,
  });
  return secret;
}

/** The origin of a request, once it is known who makes it. */
export function actingAs(origin: Origin, user: { id: string; name: string }): Origin {
  return { ...origin, actor: { type: 'user', id: user.id, name: user.name } };
}
