import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionAbsoluteMs } from '../access/index.ts';

export const sessionCookie = 'svc_session';

/** Cookies are Secure where people use https, also when a proxy terminates it. */
function isSecure(request: FastifyRequest, baseUrl: string | undefined): boolean {
  return baseUrl?.startsWith('https:') || request.protocol === 'https';
}

export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string | undefined,
  secret: string,
): void {
  reply.setCookie(sessionCookie, secret, {
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(request, baseUrl),
    path: '/',
    maxAge: sessionAbsoluteMs / 1000,
  });
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply, baseUrl: string | undefined): void {
  reply.clearCookie(sessionCookie, {
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(request, baseUrl),
    path: '/',
  });
}

/** Sent where sessions begin, and nowhere else. */
export const deviceCookie = 'svc_device';
const devicePaths = ['/api/v1/auth', '/api/v1/invitations'];
const deviceCookieSeconds = 400 * 86_400;

export function setDeviceCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string | undefined,
  device: string,
): void {
  // Lax, since the way back from an identity provider is a navigation from another site.
  for (const path of devicePaths)
    reply.setCookie(deviceCookie, device, {
      httpOnly: true,
      sameSite: 'lax',
      secure: isSecure(request, baseUrl),
      path,
      maxAge: deviceCookieSeconds,
    });
}

const browserCookie = 'svc_oidc';
const browserForm = /^[\w-]{43}$/;

/** The secret that identifies a browser when a provider sends it back; undefined: it has none. */
export function readBrowserCookie(request: FastifyRequest): string | undefined {
  const value = request.cookies[browserCookie];
  return value !== undefined && browserForm.test(value) ? value : undefined;
}

/** Lax, since the redirect from the provider is a navigation from another site. */
export function setBrowserCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrl: string | undefined,
  secret: string,
  maxAgeSeconds: number,
): void {
  reply.setCookie(browserCookie, secret, {
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(request, baseUrl),
    path: '/api/v1/auth/oidc',
    maxAge: maxAgeSeconds,
  });
}

/** `https://host`: where people reach this server, from the configuration, or else from this request. */
export function publicOrigin(request: FastifyRequest, baseUrl: string | undefined): string {
  return baseUrl ?? `${request.protocol}://${request.host}`;
}
