import type { FastifyRequest } from 'fastify';
import type { Origin } from '../../../http/context.ts';
import type { Executor } from '../../../platform/postgres/database.ts';
import { hashSecret, mintOpaque } from '../../../platform/secrets.ts';
import { announceAccessChange, sessionAbsoluteMs } from '../access/index.ts';
import { deviceCookie, sessionCookie } from './cookies.ts';
import * as store from './store.ts';

/** What a session stores about the browser that began it. */
export interface Browser {
  readonly ip: string;
  readonly userAgent: string | null;
  /** The session cookie of the request, valid or not. */
  readonly cookie: string | undefined;
  /** The cookie that identifies a device. */
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
 * Begins a session and returns its cookie. The browser's earlier session ends: a cookie from before sign-in never stays
 * valid after it (session fixation). If the browser had one, call `forget` of access after the commit.
 */
export async function openSession(trx: Executor, userId: string, browser: Browser, now: Date): Promise<string> {
  const endedUserId = browser.cookie && (await store.deleteSession(trx, hashSecret(browser.cookie)));
  if (endedUserId) await announceAccessChange(trx, { userId: endedUserId });
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

/** The origin of a request whose caller is known. */
export function actingAs(origin: Origin, user: { id: string; name: string }): Origin {
  return { ...origin, actor: { type: 'user', id: user.id, name: user.name } };
}
