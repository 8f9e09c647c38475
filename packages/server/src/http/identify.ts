import type { FastifyRequest } from 'fastify';
import { addressSubject } from '../platform/address.ts';
import type { Access, Caller, Credentials } from './caller.ts';

/** Who makes a request; rejects with `UNAUTHENTICATED` for a credential that is not valid. Asked once per request. */
export type Identify = (request: FastifyRequest) => Promise<Caller>;

export function createIdentify(access: Pick<Access, 'authenticate'>): Identify {
  const asked = new WeakMap<FastifyRequest, Promise<Caller>>();
  return (request) => {
    const known = asked.get(request);
    if (known !== undefined) return known;
    const caller = access.authenticate(credentialsOf(request));
    asked.set(request, caller);
    return caller;
  };
}

export function credentialsOf({ cookies, headers }: FastifyRequest): Credentials {
  const apiKey = headers['x-api-key'];
  return {
    cookie: cookies?.svc_session,
    authorization: headers.authorization,
    apiKey: typeof apiKey === 'string' ? apiKey : undefined,
  };
}

/**
 * Whose requests are counted together: those of an identified caller, else those of an address. The text of a credential
 * never counts: whoever writes it in another way, or sends a cookie that is none, would get a count of its own.
 */
export async function rateKey(identify: Identify, request: FastifyRequest): Promise<string> {
  const address = `address ${addressSubject(request.ip)}`;
  // Pages and their files are for everybody, and so frequent that they are not worth a look-up.
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
