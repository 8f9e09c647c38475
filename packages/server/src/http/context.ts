import type { Readable } from 'node:stream';
import type {
  AnyRoute,
  Auth,
  Permission,
  RouteBody,
  RouteParameters,
  RouteQuery,
  RouteResponse,
} from '@fanion/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../platform/log.ts';
import { bodyBytes } from './bodies.ts';
import type {
  Caller,
  EnvironmentRef,
  ProjectRef,
  SdkCaller,
  SessionCaller,
  UserCaller,
  WorkspaceRef,
} from './caller.ts';
import { jsonContentType, type RawAnswer, type RawHeaders } from './raw.ts';

interface CallerByAuth extends Record<Auth, Caller> {
  session: SessionCaller;
  user: UserCaller;
  sdk: SdkCaller;
}

interface RequestFacts {
  readonly requestId: string;
  readonly ip: string;
  readonly log: Log;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The facts of a request that an audit entry stores. */
export interface Origin {
  readonly actor: { readonly type: 'user' | 'token' | 'system'; readonly id: string | null; readonly name: string };
  readonly ip: string | null;
  readonly requestId: string | null;
}

interface Scoped {
  readonly workspace: WorkspaceRef;
  readonly permissions: ReadonlySet<Permission>;
}
type ScopeOf<R extends AnyRoute> = (R['path'] extends `${string}{ws}${string}`
  ? Scoped
  : R['callerWorkspace'] extends true
    ? Scoped
    : unknown) &
  (R['path'] extends `${string}{p}${string}` ? { readonly project: ProjectRef } : unknown) &
  (R['path'] extends `${string}{e}${string}` ? { readonly environment: EnvironmentRef } : unknown) &
  // If the input narrows the scope: the project it names (or that the token is pinned to).
  (R extends { scopeIn?: 'query' | 'body' }
    ? { readonly narrowed: { readonly project: ProjectRef | undefined; readonly environment: string | undefined } }
    : unknown);

/** What a handler receives: parsed input, the caller and the resources in the path, all checked. */
export type Context<R extends AnyRoute> = RequestFacts &
  ScopeOf<R> & {
    readonly params: RouteParameters<R>;
    readonly query: RouteQuery<R>;
    readonly body: RouteBody<R>;
    readonly caller: CallerByAuth[R['auth']];
    readonly origin: Origin;
  };

/** A response with a status, meta or headers besides its data. */
export class Reply<T> {
  readonly data: T;
  readonly status: number | undefined;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    data: T,
    more: { status?: number; meta?: Readonly<Record<string, unknown>>; headers?: Readonly<Record<string, string>> },
  ) {
    this.data = data;
    this.status = more.status;
    this.meta = more.meta ?? {};
    this.headers = more.headers ?? {};
  }
}

export function reply<T>(
  data: T,
  more: { status?: number; meta?: Readonly<Record<string, unknown>>; headers?: Readonly<Record<string, string>> },
): Reply<T> {
  return new Reply(data, more);
}

/** A response whose data is JSON text already, in chunks of UTF-8. It gets the same envelope as any other. */
export class EncodedReply {
  readonly data: Iterable<string | Uint8Array>;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    data: Iterable<string | Uint8Array>,
    more: { meta: Readonly<Record<string, unknown>>; headers?: Readonly<Record<string, string>> },
  ) {
    this.data = data;
    this.meta = more.meta;
    this.headers = more.headers ?? {};
  }
}

/** A streamed response without the envelope. If it fails midway, the connection is closed, so that it never looks complete. */
export class Streamed {
  readonly body: Readable;
  readonly headers: Readonly<Record<string, string>>;
  /** Values that are known only at the end. */
  readonly trailers: Readonly<Record<string, () => string>>;
  constructor(
    body: Readable,
    more: {
      headers: Readonly<Record<string, string>>;
      trailers: Readonly<Record<string, () => string>>;
    },
  ) {
    this.body = body;
    this.headers = more.headers;
    this.trailers = more.trailers;
  }
}

/** 202 with the pending change in place of the result (`accepted` of the route). */
export function accepted(waiting: unknown): Reply<never> {
  return new Reply(waiting as never, { status: 202 });
}

/** One page of a list; `nextCursor` is null on the last page. */
export function page<T>(items: readonly T[], nextCursor: string | null): Reply<readonly T[]> {
  return new Reply(items, { meta: { next_cursor: nextCursor } });
}

/** The response to a request, stored for its `Idempotency-Key`. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: unknown;
}

/** Handlers may return readonly data. */
type Unchanging<T> = T extends readonly (infer Item)[]
  ? readonly Unchanging<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Unchanging<T[K]> }
    : T;
type AnswerOf<R extends AnyRoute> = R['status'] extends 204 ? undefined : Unchanging<RouteResponse<R>>;
/** `protocol` routes send through `reply` and return nothing. */
export type Handler<R extends AnyRoute> = (
  context: Context<R>,
) => Promise<AnswerOf<R> | Reply<AnswerOf<R>> | EncodedReply | Streamed | undefined>;

/** Sends a thrown error in the error format of a protocol. */
export type SendFailure = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** What a plain request and one through the framework have in common. */
export interface PlainQuestion<R extends AnyRoute = AnyRoute> {
  readonly caller: SdkCaller;
  readonly params: RouteParameters<R>;
  readonly query: RouteQuery<R>;
  readonly body: RouteBody<R>;
  readonly bodyBytes: number;
  /** Path and query as received. */
  readonly url: string;
  readonly headers: RawHeaders;
  readonly ip: () => string;
}

/**
 * Answers a route that is called as often as evaluation, with or without the framework (`plain.ts`). What it throws is sent by the
 * framework, which asks it again: it must not have counted anything before.
 */
export interface Plain<R extends AnyRoute> {
  readonly plain: (question: PlainQuestion<R>) => RawAnswer | Promise<RawAnswer>;
}
export type AnyPlainAnswer = Plain<AnyRoute>['plain'];

export interface MountedRoute {
  readonly route: AnyRoute;
  readonly handler: (context: never) => Promise<unknown>;
  readonly plain?: AnyPlainAnswer;
  /** Sends errors in the protocol's format; the error envelope by default. */
  readonly sendFailure?: SendFailure | undefined;
}

type RoutesOf<File> = {
  [K in keyof File as File[K] extends AnyRoute ? K : never]: File[K] extends AnyRoute
    ? Handler<File[K]> | Plain<File[K]>
    : never;
};

/** Binds the handlers of one file of the contract; a route without a handler is a type error. */
export function implement<File extends object>(
  file: File,
  handlers: RoutesOf<File>,
  sendFailure?: SendFailure,
): MountedRoute[] {
  // A handler gets what its own route declares.
  return Object.entries<unknown>(handlers).map(([name, given]) => {
    const handler = given as MountedRoute['handler'] | Plain<AnyRoute>;
    return {
      route: file[name as keyof File] as AnyRoute,
      ...(typeof handler === 'function' ? { handler } : { handler: throughFramework(handler.plain), ...handler }),
      sendFailure,
    };
  });
}

type PlainContext = RequestFacts & Omit<PlainQuestion, 'bodyBytes' | 'url' | 'headers' | 'ip'>;

function throughFramework(plain: AnyPlainAnswer): MountedRoute['handler'] {
  return async ({ caller, params, query, body, ip, request, reply }: PlainContext) => {
    const question: PlainQuestion = {
      ...{ caller, params, query, body, bodyBytes: bodyBytes(request) },
      ...{ url: request.url, headers: request.headers, ip: () => ip },
    };
    const { status, body: text, type = jsonContentType, headers = {} } = await plain(question);
    reply.code(status).headers(headers);
    if (status === 304) reply.send();
    else reply.type(type).send(text);
    return undefined;
  };
}
