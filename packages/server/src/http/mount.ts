import { Readable } from 'node:stream';
import { type AnyRoute, routePath } from '@fanion/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure, fail } from '../platform/fail.ts';
import type { Log } from '../platform/log.ts';
import { type Admission, requirePermission } from './admission.ts';
import type { Bodies } from './bodies.ts';
import type { Caller, Scope, SessionCaller, TokenCaller } from './caller.ts';
import { type Answer, EncodedReply, type MountedRoute, type Origin, Reply, Streamed } from './context.ts';
import { sendFailure } from './envelope.ts';
import type { Idempotency } from './idempotency.ts';
import { describe } from './json-body.ts';
import { isSmall, jsonChunks } from './json-chunks.ts';
import type { LiveUses } from './live-uses.ts';
import { withOutage } from './outage.ts';
import { readersOf, withCurrentState } from './stale.ts';
import { whenClosed } from './when-closed.ts';

export interface MountDependencies {
  readonly admission: Admission;
  readonly bodies: Bodies;
  /** Undefined: reads in progress are not rechecked. */
  readonly uses?: LiveUses | undefined;
  readonly idempotency: Idempotency;
  readonly log: Log;
}

/**
 * Mounts declared routes on a server. Each request passes the same steps: credential → caller → cross-origin check →
 * scope of the path → permission (`admission.ts`) → body → query → handler → envelope. So a handler only sees resources
 * that the caller may access, and a foreign id returns 404 before the body is read.
 */
export function mount(app: FastifyInstance, routes: readonly MountedRoute[], dependencies: MountDependencies): void {
  const readerOf = readersOf(routes);
  for (const mounted of routes) {
    const { route, sendFailure: sendOwnFailure = sendFailure } = mounted;
    const url = pathToMount(route);
    if (route.takesReport && !app.supportedMethods.includes('REPORT')) app.addHttpMethod('REPORT', { hasBody: true });
    for (const one of route.trailingSlash ? [url, `${url}/`] : [url])
      app.route({
        method: route.takesReport ? [route.method, 'REPORT'] : route.method,
        url: one,
        exposeHeadRoute: takesHead(route),
        bodyLimit: dependencies.bodies.limitOf(route).bytes,
        config: { route },
        // Bodies of other products are compressed in their own way.
        ...(route.isForeign && { decompress: false as const }),
        // Errors before the handler runs: an unreadable body.
        errorHandler: (error, request, reply) => sendOwnFailure(error, request, reply),
        handler: (request, reply) => serve(mounted, readerOf(route), request, reply, dependencies),
      });
  }
}

/** The framework limits the length of named parameters, and not that of the rest of a path. */
function pathToMount({ prefix, path, longParameter }: AnyRoute): string {
  const named = (prefix + path).replace(/\{(\w+)\}/g, ':$1');
  return longParameter ? named.replace(/:\w+$/, '*') : named;
}

function parametersOf({ path, longParameter }: AnyRoute, { params }: FastifyRequest): Readonly<Record<string, string>> {
  const given = params as Readonly<Record<string, string>>;
  const [, last] = (longParameter && /\{(\w+)\}$/.exec(path)) || [];
  return last === undefined ? given : { ...given, [last]: given['*'] ?? '' };
}

/** Every GET route also supports HEAD (RFC 9110 §9.1), which uptime probes use, except streams. */
export function takesHead(route: Pick<AnyRoute, 'method' | 'media' | 'status'>): boolean {
  return route.method === 'GET' && !isStream(route);
}

function isStream({ media, status }: Pick<AnyRoute, 'media' | 'status'>): boolean {
  return media === 'text/event-stream' || status === 101;
}

type Run = (context: unknown) => Promise<unknown>;

async function serve(
  { route, handler, sendFailure: sendOwnFailure = sendFailure }: MountedRoute,
  reader: MountedRoute | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: MountDependencies,
): Promise<FastifyReply> {
  const params = parametersOf(route, request);
  try {
    const { caller, scope } = await dependencies.admission.complete(route, request);
    watchOver(route, caller, scope, request, reply, dependencies);
    const query = parseQuery(route, request.query);
    const body = route.bodies === 'protocol' ? request.body : dependencies.bodies.check(route, request);
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
    const run = async () => {
      try {
        return await (handler as Run)(context);
      } catch (error) {
        if (reader === undefined || !(error instanceof Failure && error.error === 'STALE_VERSION')) throw error;
        throw await withCurrentState(error, async () => {
          requirePermission(reader.route, scope);
          return (reader.handler as Run)({ ...context, query: reader.route.query.parse({}), body: undefined });
        });
      }
    };
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
    return sendResult(route, request, reply, await run());
  } catch (error) {
    return sendOwnFailure(error, request, reply);
  }
}

function sendResult(route: AnyRoute, request: FastifyRequest, reply: FastifyReply, result: unknown): FastifyReply {
  if (result instanceof Streamed) return sendStreamed(reply, result);
  if (result instanceof EncodedReply) return sendEncoded(reply, route.status, request, result);
  const { status, headers, payload } = answer(route, request, result);
  reply.code(status).headers(headers);
  if (isSmall(payload)) return reply.send(payload);
  return reply.type('application/json; charset=utf-8').send(Readable.from(jsonChunks(payload), { objectMode: false }));
}

function sendStreamed(reply: FastifyReply, { body, headers, trailers }: Streamed): FastifyReply {
  for (const [name, value] of Object.entries(trailers)) reply.trailer(name, async () => value());
  return reply.code(200).headers(headers).send(body);
}

function sendEncoded(
  reply: FastifyReply,
  status: number,
  request: FastifyRequest,
  { data, meta, headers }: EncodedReply,
): FastifyReply {
  function* enveloped() {
    yield '{"data":';
    yield* data;
    yield `,"error":null,"meta":${JSON.stringify({ request_id: request.id, ...withOutage(request, meta) })}}`;
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
  return {
    status: code,
    headers,
    payload: { data, error: null, meta: { request_id: request.id, ...withOutage(request, meta) } },
  };
}

/** Ends a read in progress when its caller loses access. */
function watchOver(
  route: AnyRoute,
  caller: Caller,
  scope: Scope | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  { admission, uses }: MountDependencies,
): void {
  // Streams end themselves: `features/flags/evaluation/streams.ts`, `features/telemetry/tail`.
  if (uses === undefined || !route.reads || isStream(route)) return;
  if (caller.kind !== 'session' && caller.kind !== 'token') return;
  const done = uses.add({
    userId: caller.user.id,
    workspaceId: scope?.workspace.id,
    recheck: () => admission.recheck(route, request),
    end: () => reply.raw.destroy(),
  });
  whenClosed(reply.raw, done);
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

function parseQuery(route: AnyRoute, query: unknown): unknown {
  const parsed = route.query.safeParse(query);
  if (parsed.success) return parsed.data;
  const { reason, details } = describe(parsed.error.issues);
  throw fail('INVALID_QUERY', { reason }, { details });
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
