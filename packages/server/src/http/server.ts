import { randomUUID } from 'node:crypto';
import {
  createServer as createNodeServer,
  type IncomingMessage,
  type RequestListener,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type AnyRoute, bodyLimits } from '@fanion/contract';
import compress from '@fastify/compress';
import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { type Failure, fail } from '../platform/fail.ts';
import type { Log } from '../platform/log.ts';
import { createAdmission } from './admission.ts';
import { createBodies } from './bodies.ts';
import type { BodyBudgets } from './body-budgets.ts';
import type { BodyThread } from './body-thread.ts';
import type { Access } from './caller.ts';
import type { MountedRoute } from './context.ts';
import { discardBody } from './discard.ts';
import { errorBody, sendFailure as sendEnvelope } from './envelope.ts';
import { readForms } from './forms.ts';
import { requireOurHost } from './host.ts';
import { createIdentify, type Identify, rateKey } from './identify.ts';
import { type MountDependencies, mount } from './mount.ts';
import { type MethodsOf, methodsOf, type SendFailure, sendNotFound } from './not-found.ts';
import { letPagesRead } from './page-origins.ts';
import { type PlainDependencies, type PlainRouter, plainRouter, rawFirst } from './plain.ts';
import { answerRaw, jsonContentType, type RawRoute, rawRouter } from './raw.ts';
import { takeRawConnections } from './raw-connections.ts';
import { slowSenders } from './slow-senders.ts';
import type { Tls } from './tls.ts';
import { serveWeb } from './web.ts';
import { takeHandshakes, UpgradableMessage } from './web-sockets.ts';

/** Routes that mount themselves, since they use the bodies and errors of a protocol. */
export interface Protocol {
  /** Their declarations. */
  readonly routes: readonly AnyRoute[];
  readonly register: (app: FastifyInstance) => Promise<void> | void;
}

export interface HttpOptions {
  readonly log: Log;
  readonly maxBodyBytes: number;
  readonly requestsPerMinute: number;
  readonly trustProxy: boolean;
  readonly isDraining?: () => boolean;
  readonly tls?: Tls | undefined;
  /** The built web application; undefined: none is served. */
  readonly webDirectory: string | undefined;
  readonly routes: readonly MountedRoute[];
  /** Answered straight from Node's HTTP server, before the framework. */
  readonly raw?: readonly RawRoute[];
  /** For the routes that can do without the framework. */
  readonly plain: Omit<PlainDependencies, 'maxBodyBytes' | 'trustProxy'>;
  readonly mount: Omit<MountDependencies, 'admission' | 'bodies'> & {
    readonly access: Access;
    /** `https://…` that browsers use, if it differs from the Host header. */
    readonly baseUrl: string | undefined;
  };
  readonly budgets: BodyBudgets;
  /** Stops with the server. */
  readonly bodyThread: BodyThread;
  /** Host names that the API and pages are served for, besides loopback names; undefined: any, since a proxy checks them. */
  readonly hostNames: ReadonlySet<string> | undefined;
  /** Sends errors of unmatched requests, in the format of the path's protocol; the envelope by default. */
  readonly sendFailure?: SendFailure;
  /** Other protocols (OTLP, Zipkin …), registered next to the API. */
  readonly protocols: readonly Protocol[];
  /** Adds the hooks that measure requests. */
  readonly observe: (app: FastifyInstance) => void;
  /** Takes over connections that begin with HTTP/2; undefined: they are refused. */
  readonly takeHttp2?: ((socket: Socket) => void) | undefined;
}

const requestIdForm = /^[\w.-]{1,100}$/;

interface ListenerOptions {
  readonly log: Log;
  readonly maxBodyBytes: number;
  readonly trustProxy: boolean;
  /** Whether connections end after their next answer, so that clients open others, at other servers. */
  readonly isDraining?: () => boolean;
  readonly tls?: Tls | undefined;
  readonly raw?: readonly RawRoute[];
  /** Other requests that are answered from the bytes of their connections. */
  readonly plain?: PlainRouter;
  readonly takeHttp2?: ((socket: Socket) => void) | undefined;
  readonly methods?: MethodsOf;
  readonly sendFailure?: SendFailure;
}

/** A Fastify instance with what all listeners share: request ids, logging, errors in the envelope. */
export function createHttp(options: ListenerOptions): FastifyInstance {
  const raw = rawRouter(options.raw ?? []);
  const { methods = () => [], sendFailure = sendEnvelope } = options;
  const app = Fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // Of paths without a declared route; the others have their own.
    bodyLimit: Math.min(options.maxBodyBytes, bodyLimits.document.bytes),
    trustProxy: options.trustProxy,
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && requestIdForm.test(given) ? given : randomUUID();
    },
    // A path that cannot be decoded matches no route.
    frameworkErrors: (_error, request, reply) => {
      sendNotFound(methods, sendFailure, request, reply);
    },
    clientErrorHandler: (error, socket) => {
      if (socket.writable) socket.end(unreadable(error, methods));
      else socket.destroy();
    },
    forceCloseConnections: 'idle',
    // On a kept-alive connection, the hook below rejects requests in the format of their protocol.
    return503OnClosing: false,
    serverFactory: (handler) => listening(options, raw, handler),
    routerOptions: {
      caseSensitive: true,
      ignoreTrailingSlash: false,
      ignoreDuplicateSlashes: false,
      maxParamLength: 300,
    },
  });
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onRequest', async (request, reply) => {
    const { url, method } = request;
    if (closing && !isProbe(url)) throw fail('SHUTTING_DOWN', {}, { retryAfterSeconds: 2 });
    // No route supports QUERY, and the framework would first require a body.
    if (method === 'QUERY') return sendNotFound(methods, sendFailure, request, reply);
    // Before the framework reads a body for it.
    if (request.is404) {
      discardBody(request.raw);
      return sendNotFound(methods, sendFailure, request, reply);
    }
  });
  app.setErrorHandler((error, request, reply) => sendFailure(error, request, reply));
  app.setNotFoundHandler((request, reply) => sendNotFound(methods, sendFailure, request, reply));
  return app;
}

/** Answers raw routes before the framework sees a request. */
function listening(
  { isDraining = () => false, tls, takeHttp2, raw: routes, plain }: ListenerOptions,
  raw: ReturnType<typeof rawRouter>,
  handler: RequestListener,
) {
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const wrong = wrongHost(request);
    if (isDraining()) response.shouldKeepAlive = false;
    if (wrong !== undefined) refuse(response, wrong);
    else if (!answerRaw(raw, request, response)) handler(request, response);
  };
  const settings = { ...slowSenders, requireHostHeader: false, IncomingMessage: UpgradableMessage };
  const server = tls === undefined ? createNodeServer(settings, answer) : secureServer(tls, settings, answer);
  server.on('checkExpectation', (_request, response) => refuse(response, fail('EXPECTATION_FAILED')));
  takeHandshakes(server, answer);
  if (routes !== undefined) takeRawConnections(server, rawFirst(raw, plain), { isDraining, takeHttp2 });
  return server;
}

function secureServer(
  tls: Tls,
  settings: ServerOptions<typeof UpgradableMessage>,
  answer: RequestListener,
): SecureServer {
  const server = createSecureServer({ ...settings, ...tls.current(), ALPNCallback: chosenProtocol }, answer);
  tls.follow(server);
  return server;
}

/** HTTP/2 is for clients of gRPC, which speak nothing else; browsers get HTTP/1.1. */
function chosenProtocol({ protocols }: { readonly protocols: readonly string[] }): string | undefined {
  return ['http/1.1', 'h2'].find((one) => protocols.includes(one));
}

/** Probes are answered until the server stops. */
function isProbe(url: string): boolean {
  return url === '/healthz' || url === '/readyz';
}

/** Requires exactly one `Host` (RFC 9112 §3.2): of two, a proxy may have read the other. */
function wrongHost({ rawHeaders, httpVersion }: IncomingMessage): Failure | undefined {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts++;
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return undefined;
  return fail('MALFORMED_REQUEST', {
    reason: hosts === 0 ? 'the Host header is missing' : 'it has several Host headers',
  });
}

/** Sends an error before the protocol of a request is known. */
function refuse(response: ServerResponse, failure: Failure): void {
  const body = envelopeText(failure);
  response.writeHead(failure.status, {
    'content-type': jsonContentType,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
}

function envelopeText(failure: Failure): string {
  return JSON.stringify({ data: null, error: errorBody(failure), meta: { request_id: randomUUID() } });
}

/** An error of Node's parser, in the envelope: the protocol of the request is not known. */
function unreadable(error: Error & { code?: string; rawPacket?: unknown }, methods: MethodsOf): string {
  const unknown = error.code === 'HPE_INVALID_METHOD' ? unknownMethod(error.rawPacket, methods) : undefined;
  const failure = unknown?.failure ?? unreadableFailure(error);
  const body = envelopeText(failure);
  const head = [
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}`,
    `Content-Type: ${jsonContentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(unknown === undefined ? [] : [`Allow: ${unknown.allowed}`]),
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

function unreadableFailure({ code, message }: Error & { code?: string }): Failure {
  if (code === 'HPE_HEADER_OVERFLOW') return fail('HEADERS_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return fail('REQUEST_TIMEOUT');
  return fail('MALFORMED_REQUEST', { reason: message.slice(0, 200) });
}

/** A method that Node's parser does not know, on a path that supports other methods. */
function unknownMethod(
  packet: unknown,
  methods: MethodsOf,
): { readonly failure: Failure; readonly allowed: string } | undefined {
  const line = Buffer.isBuffer(packet) ? packet.toString('latin1', 0, 2_000) : '';
  const [, method, path] = /^([A-Za-z-]{1,32}) (\/[!-~]*) HTTP\/1\.[01]\r\n/.exec(line) ?? [];
  if (method === undefined || path === undefined) return undefined;
  const [plain = path] = path.split('?');
  const allowed = methods(plain).join(', ');
  if (allowed === '') return undefined;
  return { failure: fail('METHOD_NOT_ALLOWED', { method, path: plain.slice(0, 200), allowed }), allowed };
}

/**
 * The server's single port: API, evaluation, other protocols and the web application. Evaluation and other protocols skip
 * what only browsers need (cookies, CSP, compression, rate limits per minute), which saves their cost.
 */
export async function createServer(options: HttpOptions): Promise<FastifyInstance> {
  const mounted = [...options.routes, ...(options.raw ?? [])].map(({ route }) => route);
  const routes = [...mounted, ...options.protocols.flatMap((protocol) => protocol.routes)];
  const identify = createIdentify(options.mount.access);
  const { access, baseUrl } = options.mount;
  const admission = createAdmission({ access, identify, baseUrl });
  const { budgets, bodyThread: thread, maxBodyBytes } = options;
  const bodies = createBodies({ maxBodyBytes, budgets, identify, thread });
  const mounting = { ...options.mount, admission, bodies };
  const { trustProxy } = options;
  const plain = plainRouter(options.routes, { ...options.plain, maxBodyBytes, trustProxy });
  const app = createHttp({ ...options, plain, methods: methodsOf(routes) });
  bodies.parse(app);
  app.addHook('onClose', () => thread.stop());
  letPagesRead(app, identify);
  bodies.admitBefore(app, admission);
  options.observe(app);
  // All of OFREP is for SDKs, including its events: one address can hold many of their tickets.
  const isLean = ({ route }: MountedRoute) => route.auth === 'sdk' || route.path.startsWith('/ofrep/');
  const lean = options.routes.filter(isLean);
  const rest = options.routes.filter((mounted) => !isLean(mounted));
  mount(app, lean, mounting);
  for (const { register } of options.protocols) await app.register(async (instance) => register(instance));
  await app.register(async (api) => {
    const { hostNames } = options;
    if (hostNames !== undefined)
      api.addHook('onRequest', async (request) => {
        if (!isProbe(request.url)) requireOurHost(request, hostNames);
      });
    await api.register(cookie);
    await api.register(helmet, helmetOptions);
    await api.register(compress, { global: true, threshold: 1024, encodings: ['gzip', 'identity'] });
    await api.register(rateLimit, requestLimit(options.requestsPerMinute, identify));
    api.addHook('onSend', async (request, reply) => {
      reply.header('x-request-id', request.id);
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    });
    mount(
      api,
      rest.filter(({ route }) => !route.isForeign),
      mounting,
    );
    await api.register(async (foreign) => {
      readForms(foreign);
      mount(
        foreign,
        rest.filter(({ route }) => route.isForeign),
        mounting,
      );
    });
    if (options.webDirectory !== undefined) await serveWeb(api, options.webDirectory);
  });
  return app;
}

function requestLimit(max: number, identify: Identify): RateLimitPluginOptions {
  return {
    max,
    timeWindow: 60_000,
    cache: 20_000,
    keyGenerator: (request) => rateKey(identify, request),
    allowList: ({ url }) => isProbe(url),
    errorResponseBuilder: (_request, context) =>
      fail(
        'RATE_LIMITED',
        { seconds: Math.ceil(context.ttl / 1000) },
        { retryAfterSeconds: Math.ceil(context.ttl / 1000) },
      ),
  };
}

/** No inline script or style without the nonce of its response; nothing from another origin; no framing. */
const helmetOptions = {
  enableCSPNonces: true,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      baseUri: ["'none'"],
      objectSrc: ["'none'"],
      frameAncestors: ["'none'"],
      formAction: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      // React and Mantine set style attributes through the CSSOM, which CSP does not govern; markup has none.
      styleSrcAttr: ["'none'"],
    },
  },
  crossOriginEmbedderPolicy: false,
  // Only useful behind HTTPS, where the proxy that terminates TLS sets it.
  strictTransportSecurity: false,
  referrerPolicy: { policy: 'same-origin' },
} as const;

/** Time to answer accepted requests. */
const closeGraceMs = 10_000;
const handedCheckMs = 20;

/**
 * Stops listening and waits for requests in progress. Node counts a connection that never sent anything as one of them, and
 * clients keep such connections open; after the grace period they are closed.
 *
 * @param handed connections that another process has accepted, which Node does not wait for
 */
export async function closeHttp(app: FastifyInstance, handed: ReadonlySet<Socket> = new Set()): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), closeGraceMs);
  await app.close();
  while (handed.size > 0) {
    app.server.closeIdleConnections();
    await wait(handedCheckMs);
  }
  clearTimeout(cut);
}
