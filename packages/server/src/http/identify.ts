import type { AnyRoute } from '@fanion/contract';
import type { FastifyRequest } from 'fastify';
import { addressSubject } from '../platform/address.ts';
import type { Access, Caller, Credentials } from './caller.ts';
import { outageOf } from './outage.ts';
import type { RawHeaders } from './raw.ts';

/** Identifies the caller, once per request; rejects with `UNAUTHENTICATED` for an invalid credential. */
export type Identify = (request: FastifyRequest) => Promise<Caller>;

export function createIdentify(access: Pick<Access, 'authenticate'>): Identify {
  const asked = new WeakMap<FastifyRequest, Promise<Caller>>();
  return (request) => {
    const known = asked.get(request);
    if (known !== undefined) return known;
    const caller = access.authenticate(credentialsOf(request), outageOf(request));
    asked.set(request, caller);
    return caller;
  };
}

export function credentialsOf(request: FastifyRequest): Credentials {
  const { cookies, headers, params, query, routeOptions } = request;
  const { route } = (routeOptions?.config ?? {}) as { readonly route?: AnyRoute };
  return credentialsIn(route, { cookie: cookies?.svc_session, headers, params, query });
}

interface Sent {
  readonly cookie?: string | undefined;
  readonly headers: Pick<RawHeaders, 'authorization' | 'x-api-key'>;
  readonly params: unknown;
  readonly query: unknown;
}

/** The credential of a request for this route. */
export function credentialsIn(route: AnyRoute | undefined, sent: Sent): Credentials {
  const { cookie, headers } = sent;
  const apiKey = headers['x-api-key'];
  const inUrl = route?.keyParameter === undefined ? undefined : keyOfUrl(route.keyParameter, sent);
  if (inUrl !== undefined && (inUrl.authorization !== undefined || route?.keyInHeaderToo !== true)) return inUrl;
  return {
    cookie,
    authorization: route?.isForeign === true ? asBearer(headers.authorization) : headers.authorization,
    apiKey: typeof apiKey === 'string' ? apiKey : undefined,
  };
}

/** The key in the path or the query is the only credential of the request. */
function keyOfUrl(name: string, { params, query }: Sent): Credentials {
  const { [name]: key } = { ...(query as object), ...(params as object) } as Readonly<Record<string, unknown>>;
  const authorization = typeof key === 'string' ? `Bearer ${key}` : undefined;
  return { cookie: undefined, authorization, apiKey: undefined };
}

/** Clients of other products send a token as the password of Basic, and an SDK key without a scheme, or with `api_key`. */
export function asBearer(authorization: string | undefined): string | undefined {
  const [, key] = /^(?:api_key )?(svc_sdk_\S+)$/.exec(authorization ?? '') ?? [];
  if (key !== undefined) return `Bearer ${key}`;
  const [, pair] = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(authorization ?? '') ?? [];
  if (pair === undefined) return authorization;
  const text = Buffer.from(pair, 'base64').toString('utf8');
  return `Bearer ${text.slice(text.indexOf(':') + 1)}`;
}

/**
 * The key of the rate limit: the identified caller, or else the address. The text of a credential is not a key: a client
 * could respell it, or send a random cookie, and get a new limit.
 */
export async function rateKey(identify: Identify, request: FastifyRequest): Promise<string> {
  const address = `address ${addressSubject(request.ip)}`;
  // Pages and their files are public, and too frequent for a look-up.
  if (!('route' in request.routeOptions.config)) return address;
  const caller = await identify(request).catch(() => undefined);
  switch (caller?.kind) {
    case 'session':
      return `user ${caller.user.id}`;
    case 'token':
      return `token ${caller.tokenId}`;
    case 'sdk':
      return `key ${caller.keyId}`;
    case 'anonymous':
    case undefined:
      return address;
  }
}
