import type { AnyRoute, Permission } from '@fanion/contract';
import type { FastifyRequest } from 'fastify';
import { fail } from '../platform/fail.ts';
import type { Access, Caller, Scope, ScopeNames } from './caller.ts';
import { credentialsOf, type Identify } from './identify.ts';
import { outageOf } from './outage.ts';
import { sameOrigin } from './same-origin.ts';

export interface Admitted {
  readonly caller: Caller;
  readonly scope: Scope | undefined;
}

/** Decides who may call a route, from the head of a request alone where that is possible. */
export interface Admission {
  /**
   * Everything that does not depend on the body, before the body is read. If the body narrows the scope, it must be read
   * to know the permission; the caller must still be a member.
   */
  beforeBody(route: AnyRoute, request: FastifyRequest): Promise<void>;
  /** The same with the body. */
  complete(route: AnyRoute, request: FastifyRequest): Promise<Admitted>;
  /** Throws if the caller may no longer call the route. */
  recheck(route: AnyRoute, request: FastifyRequest): Promise<void>;
}

interface AdmissionDependencies {
  readonly access: Access;
  readonly identify: Identify;
  /** `https://…` that browsers use, if it differs from the Host header. */
  readonly baseUrl: string | undefined;
}

export function createAdmission({ access, identify, baseUrl }: AdmissionDependencies): Admission {
  async function decide(route: AnyRoute, request: FastifyRequest, identified: Identify): Promise<Admitted> {
    const caller = await admit(route, request, { identify: identified, baseUrl });
    const params = request.params as Readonly<Record<string, string>>;
    if (Object.values(params).some(hasNul)) throw fail('NOT_FOUND', { resource: 'resource' });
    // The query may name the scope, so this check comes first.
    if (Object.values(request.query as Readonly<Record<string, unknown>>).some(hasNul))
      throw fail('INVALID_QUERY', { reason: 'a value contains the character U+0000' });
    return { caller, scope: await resolve(route, caller, params, request, access) };
  }

  return {
    async beforeBody(route, request) {
      const { scope } = await decide(route, request, identify);
      if (route.scopeIn !== 'body') requirePermission(route, scope);
    },
    async complete(route, request) {
      // A body can take a minute to arrive; what was revoked meanwhile is not permitted any more.
      const again = (asked: FastifyRequest) => access.authenticate(credentialsOf(asked), outageOf(asked));
      const admitted = await decide(route, request, hasBody(request) ? again : identify);
      requirePermission(route, admitted.scope);
      return admitted;
    },
    async recheck(route, request) {
      const caller = await access.authenticate(credentialsOf(request), outageOf(request));
      const params = request.params as Readonly<Record<string, string>>;
      requirePermission(route, await resolve(route, caller, params, request, access));
    },
  };
}

/** Whether a request announces a body. */
export function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Checks the credential, the kind of caller, and for browsers the origin. */
async function admit(
  route: AnyRoute,
  request: FastifyRequest,
  { identify, baseUrl }: Pick<AdmissionDependencies, 'identify' | 'baseUrl'>,
): Promise<Caller> {
  const caller = await identify(request).catch((error: unknown) => {
    // A stale cookie must not prevent a new login.
    if (route.auth === 'public' && request.headers.authorization === undefined) return { kind: 'anonymous' } as const;
    throw error;
  });
  const changes = route.method !== 'GET';
  if (
    changes &&
    (caller.kind === 'session' || (route.auth === 'public' && caller.kind === 'anonymous')) &&
    !sameOrigin(request, baseUrl, caller.kind === 'session')
  ) {
    throw fail('CROSS_ORIGIN', { origin: baseUrl ?? 'the same origin' });
  }
  if (route.auth === 'public') return caller.kind === 'sdk' ? { kind: 'anonymous' } : caller;
  if (caller.kind === 'anonymous')
    throw fail('UNAUTHENTICATED', {
      reason:
        route.auth === 'sdk'
          ? 'send an SDK key as Authorization: Bearer svc_sdk_…'
          : 'log in, or send a token as Authorization: Bearer svc_pat_…',
    });
  if (route.auth === 'sdk' && caller.kind !== 'sdk')
    throw fail('WRONG_CREDENTIAL', { reason: 'this route requires an SDK key' });
  if (route.auth !== 'sdk' && caller.kind === 'sdk')
    throw fail('WRONG_CREDENTIAL', { reason: 'an SDK key can only evaluate flags' });
  if (route.auth === 'session' && caller.kind !== 'session')
    throw fail('WRONG_CREDENTIAL', { reason: 'this route requires a browser session' });
  return caller;
}

async function resolve(
  route: AnyRoute,
  caller: Caller,
  params: Readonly<Record<string, string>>,
  request: FastifyRequest,
  access: Access,
): Promise<Scope | undefined> {
  const inPath = route.path.includes('{ws}');
  if (!(inPath || route.callerWorkspace) || (caller.kind !== 'session' && caller.kind !== 'token')) return undefined;
  const query = request.query as Readonly<Record<string, unknown>>;
  const names: ScopeNames = {
    ...(inPath
      ? { workspace: params.ws }
      : typeof query.workspace === 'string' && query.workspace !== ''
        ? { workspace: query.workspace }
        : {}),
    ...(params.p !== undefined && { project: params.p }),
    ...(params.e !== undefined && { environment: params.e }),
  };
  const outage = outageOf(request);
  if (route.scopeIn === undefined) return access.scope(caller, names, outage);
  const input = (route.scopeIn === 'query' ? query : request.body) as
    | Readonly<Record<string, unknown>>
    | null
    | undefined;
  const project = input?.project;
  const environment = input?.environment;
  const narrowed = {
    ...names,
    ...(typeof project === 'string' && { project }),
    ...(typeof environment === 'string' && { environment }),
  };
  return access.scope(caller, narrowed, outage);
}

export function requirePermission(route: AnyRoute, scope: Scope | undefined): void {
  const permission: Permission | undefined = route.permission;
  if (permission === undefined) return;
  // If the input leaves the scope open, the permission must hold everywhere below.
  const held = route.scopeIn !== undefined ? scope?.permissionsBelow : scope?.permissions;
  if (!held?.has(permission)) throw fail('PERMISSION_DENIED', { permission });
}

/** No stored name contains U+0000, so nothing can match. */
function hasNul(text: unknown): boolean {
  return typeof text === 'string' && text.includes('\0');
}
