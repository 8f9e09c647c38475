import { Readable } from 'node:stream';
import { type AnyRoute, type Permission, routePath } from '@fanion/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { fail } from '../platform/fail.ts';
import type { Log } from '../platform/log.ts';
import type { Access, Caller, Scope, ScopeNames, SessionCaller, TokenCaller } from './caller.ts';
import { type Answer, EncodedReply, type MountedRoute, type Origin, Reply, Streamed } from './context.ts';
import { sendFailure } from './envelope.ts';
import type { Idempotency } from './idempotency.ts';
import { credentialsOf, type Identify } from './identify.ts';
import { isSmall, jsonChunks } from './json-chunks.ts';
import type { LiveUses } from './live-uses.ts';
import { sameOrigin } from './same-origin.ts';
import { refuseUnstorable } from './storable.ts';
import { whenClosed } from './when-closed.ts';

export interface MountDependencies {
  readonly access: Access;
  readonly identify: Identify;
  /** Undefined: reads in progress are not rechecked. */
  readonly uses?: LiveUses | undefined;
  readonly idempotency: Idempotency;
  readonly log: Log;
  /** `https://…` that browsers use, if it differs from the Host header. */
  readonly baseUrl: string | undefined;
}

/**
 * Mounts declared routes on a server. Each request passes the same steps: credential → caller → cross-origin check →
 * scope of the path → permission → query and body → handler → envelope. So a handler only sees resources that the caller
 * may access, and a foreign id returns 404 before the body is read.
 */
export function mount(app: FastifyInstance, routes: readonly MountedRoute[], dependencies: MountDependencies): void {
  for (const mounted of routes) {
    const { route, sendFailure: sendOwnFailure = sendFailure } = mounted;
    const url = route.prefix + route.path.replace(/\{(\w+)\}/g, ':$1');
    for (const one of route.trailingSlash ? [url, `${url}/`] : [url])
      app.route({
        method: route.method,
        url: one,
        exposeHeadRoute: takesHead(route),
        config: { route },
        // Errors before the handler runs: an unreadable body.
        errorHandler: (error, request, reply) => sendOwnFailure(error, request, reply),
        handler: (request, reply) => serve(mounted, request, reply, dependencies),
      });
  }
}

/** Every GET route also supports HEAD (RFC 9110 §9.1), which uptime probes use, except streams. */
export function takesHead({ method, media }: Pick<AnyRoute, 'method' | 'media'>): boolean {
  return method === 'GET' && media !== 'text/event-stream';
}

async function serve(
  { route, handler, sendFailure: sendOwnFailure = sendFailure }: MountedRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: MountDependencies,
): Promise<FastifyReply> {
  const params = request.params as Readonly<Record<string, string>>;
  try {
    const caller = await admit(route, request, dependencies);
    if (Object.values(params).some(hasNul)) throw fail('NOT_FOUND', { resource: 'resource' });
    // The query may name the scope, so this check comes first.
    if (Object.values(request.query as Readonly<Record<string, unknown>>).some(hasNul))
      throw fail('INVALID_QUERY', { reason: 'a value contains the character U+0000' });
    const scope = await resolve(route, caller, params, request, dependencies.access);
    requirePermission(route, scope);
    watchOver(route, caller, scope, request, reply, dependencies);
    const query = parseQuery(route, request.query);
    const body = route.bodies === 'protocol' ? request.body : parseBody(route, request.body);
    const context = {
      ...scopeFacts(route, scope, query, body),
      params,
      query,
      body,
      caller,
      request,
      reply,
      origin: originOf(caller, request),
      requestId: request.id,
      ip: request.ip,
      log: request.log as Log,
      get signal() {
        return abortSignal(reply);
      },
    };
    const run = () => (handler as (context: unknown) => Promise<unknown>)(context);
    if (route.bodies === 'protocol') {
      await run();
      return reply;
    }
    const key = request.headers['idempotency-key'];
    if (typeof key === 'string' && route.method === 'POST' && !route.reads && caller.kind !== 'anonymous') {
      return await dependencies.idempotency.run(
        { caller, key, route, path: routePath(route, params), body: request.body },
        async () => answer(route, request, await run()),
        reply,
      );
    }
    const result = await run();
    if (result instanceof Streamed) return sendStreamed(reply, result);
    if (result instanceof EncodedReply) return sendEncoded(reply, route.status, request.id, result);
    const { status, headers, payload } = answer(route, request, result);
    reply.code(status).headers(headers);
    if (isSmall(payload)) return reply.send(payload);
    return reply
      .type('application/json; charset=utf-8')
      .send(Readable.from(jsonChunks(payload), { objectMode: false }));
  } catch (error) {
    return sendOwnFailure(error, request, reply);
  }
}

function sendStreamed(reply: FastifyReply, { body, headers, trailers }: Streamed): FastifyReply {
  for (const [name, value] of Object.entries(trailers)) reply.trailer(name, async () => value());
  return reply.code(200).headers(headers).send(body);
}

function sendEncoded(
  reply: FastifyReply,
  status: number,
  requestId: string,
  { data, meta, headers }: EncodedReply,
): FastifyReply {
  function* enveloped() {
    yield '{"data":';
    yield* data;
    yield `,"error":null,"meta":${JSON.stringify({ request_id: requestId, ...meta })}}`;
  }
  return reply
    .code(status)
    .headers(headers)
    .type('application/json; charset=utf-8')
    .send(Readable.from(enveloped(), { objectMode: false }));
}

function answer(route: AnyRoute, request: FastifyRequest, result: unknown): Answer {
  const { data, status, meta, headers } =
    result instanceof Reply ? result : { data: result, status: undefined, meta: {}, headers: {} };
  const code = status ?? route.status;
  if (code === 204) return { status: 204, headers, payload: undefined };
  return { status: code, headers, payload: { data, error: null, meta: { request_id: request.id, ...meta } } };
}

/** Ends a read in progress when its caller loses access. */
function watchOver(
  route: AnyRoute,
  caller: Caller,
  scope: Scope | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  { access, uses }: MountDependencies,
): void {
  // Streams end themselves: `features/flags/evaluation/streams.ts`, `features/telemetry/tail`.
  if (uses === undefined || !route.reads || route.media === 'text/event-stream') return;
  if (caller.kind !== 'session' && caller.kind !== 'token') return;
  const done = uses.add({
    userId: caller.user.id,
    workspaceId: scope?.workspace.id,
    async recheck() {
      const now = await access.authenticate(credentialsOf(request));
      const params = request.params as Readonly<Record<string, string>>;
      requirePermission(route, await resolve(route, now, params, request, access));
    },
    end: () => reply.raw.destroy(),
  });
  whenClosed(reply.raw, done);
}

/** Checks the credential, the kind of caller, and for browsers the origin. */
async function admit(
  route: AnyRoute,
  request: FastifyRequest,
  { identify, baseUrl }: MountDependencies,
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
  if (route.scopeIn === undefined) return access.scope(caller, names);
  const input = (route.scopeIn === 'query' ? query : request.body) as
    | Readonly<Record<string, unknown>>
    | null
    | undefined;
  const project = input?.project;
  const environment = input?.environment;
  return access.scope(caller, {
    ...names,
    ...(typeof project === 'string' && { project }),
    ...(typeof environment === 'string' && { environment }),
  });
}

function requirePermission(route: AnyRoute, scope: Scope | undefined): void {
  const permission: Permission | undefined = route.permission;
  if (permission === undefined) return;
  // If the input leaves the scope open, the permission must hold everywhere below.
  const held = route.scopeIn !== undefined ? scope?.permissionsBelow : scope?.permissions;
  if (!held?.has(permission)) throw fail('PERMISSION_DENIED', { permission });
}

function scopeFacts(route: AnyRoute, scope: Scope | undefined, query: unknown, body: unknown): Record<string, unknown> {
  if (scope === undefined) return {};
  const { workspace, project, environment, permissions } = scope;
  if (route.scopeIn === undefined) return { workspace, project, environment, permissions };
  // Telemetry stores the key of an environment, never its id. Without a project, the key is used unchecked: telemetry can
  // contain environments that the control plane does not know.
  const input = (route.scopeIn === 'query' ? query : body) as { environment?: string } | undefined;
  return { workspace, permissions, narrowed: { project, environment: environment?.key ?? input?.environment } };
}

function describe(issues: readonly z.core.$ZodIssue[]): {
  reason: string;
  details: { path: string; message: string }[];
} {
  const details = issues
    .slice(0, 50)
    .map((issue) => ({ path: issue.path.map(String).join('.'), message: issue.message }));
  const first = details[0];
  return { reason: first ? `${first.path ? `${first.path}: ` : ''}${first.message}` : 'unknown', details };
}

/** No stored name contains U+0000, so nothing can match. */
function hasNul(text: unknown): boolean {
  return typeof text === 'string' && text.includes('\0');
}

function parseQuery(route: AnyRoute, query: unknown): unknown {
  const parsed = route.query.safeParse(query);
  if (parsed.success) return parsed.data;
  const { reason, details } = describe(parsed.error.issues);
  throw fail('INVALID_QUERY', { reason }, { details });
}

function parseBody(route: AnyRoute, body: unknown): unknown {
  // A route without a body ignores the body, since some clients always send one.
  if (route.body instanceof z.ZodUndefined) return undefined;
  const parsed = route.body.safeParse(body);
  if (parsed.success) {
    // A login stores nothing, and answers every wrong password alike.
    if (!route.reads && route.auth !== 'public') refuseUnstorable(parsed.data);
    return parsed.data;
  }
  const { reason, details } = describe(parsed.error.issues);
  throw fail('INVALID_INPUT', { reason }, { details });
}

function originOf(caller: Caller, request: FastifyRequest): Origin {
  return { actor: actorOf(caller), ip: request.ip, requestId: request.id };
}

function actorOf(caller: Caller): Origin['actor'] {
  if (caller.kind === 'session')
    return { type: 'user', id: (caller satisfies SessionCaller).user.id, name: caller.user.name };
  if (caller.kind === 'token')
    return {
      type: 'token',
      id: (caller satisfies TokenCaller).tokenId,
      name: `${caller.tokenName} (${caller.user.name})`,
    };
  return { type: 'system', id: null, name: caller.kind };
}

function abortSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  whenClosed(reply.raw, () => {
    if (!reply.raw.writableFinished) controller.abort(fail('CLIENT_LEFT'));
  });
  return controller.signal;
}
