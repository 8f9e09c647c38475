import { z } from 'zod';
import type { BodyLimitName } from './body-limits.ts';
import type { ErrorName } from './errors.ts';
import type { Permission } from './permissions.ts';
import { defaultPageSize, type PageQuery, pageQuery } from './primitives.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call a route.
 * - `public`: anybody
 * - `session`: a browser session only
 * - `user`: a session or an API token
 * - `sdk`: an SDK key only
 * - `ingest`: an API token with `telemetry:ingest`
 */
export type Auth = 'public' | 'session' | 'user' | 'sdk' | 'ingest';

/**
 * Who writes bodies. `envelope`: the server, as the API's `{data, error, meta}`. `protocol`: the handler, mostly in another
 * protocol (OFREP, OTLP, Prometheus text, redirects, event streams); the schemas are then documentation only.
 */
export type Bodies = 'envelope' | 'protocol';

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;
export type PathParameters<Path extends string> = { readonly [K in ParameterNames<Path>]: string };

export interface RouteDeclaration<
  Path extends string = string,
  A extends Auth = Auth,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
  List extends boolean = boolean,
  CallerWorkspace extends boolean = boolean,
> {
  /** `area.verb`, unique; the operation id and the audit action. */
  readonly id: string;
  readonly method: Method;
  /** With `{name}` parameters, below `prefix`. `{ws}`, `{p}`, `{e}` are resolved and checked before the handler runs. */
  readonly path: Path;
  /** `/api/v1` by default; the empty string for routes outside the API. */
  readonly prefix: string;
  /** The path with a `/` at its end is the same route. The API document names only the path without it. */
  readonly trailingSlash: boolean;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly auth: A;
  /** The parameter of the path or the query that contains the SDK key, in place of a header. */
  readonly keyParameter?: string;
  /** Without that parameter, the key is in a header. */
  readonly keyInHeaderToo?: boolean;
  /** Required at the deepest scope in the path. */
  readonly permission?: Permission;
  /** Required as well, at the place that the resource reads from; the handler checks it. */
  readonly alsoNeeds?: Permission;
  /** A route without `{ws}` that acts on the caller's workspace (`/tokens`): `?workspace=` selects one. */
  readonly callerWorkspace: CallerWorkspace;
  /**
   * The input can narrow the workspace to one project and environment (fields `project`, `environment`): the permission is
   * then required there; without them, everywhere in the workspace.
   */
  readonly scopeIn?: 'query' | 'body';
  readonly query: Query;
  readonly body: Body;
  readonly response: Response;
  /** 101: a WebSocket, whose messages have the schema of the response. */
  readonly status: 101 | 200 | 201 | 202 | 204;
  /** Another success status of the route, such as 202 for a change that waits for approval. */
  readonly otherStatus?: 202 | 302 | 304;
  /** Schema of the data of a 202 response: a change that waits for approval, in place of its result. */
  readonly accepted?: z.ZodType;
  readonly errors: readonly ErrorName[];
  /** A list: takes `limit` and `cursor`, returns an array and `meta.next_cursor`. */
  readonly list: List;
  /** `limit` of a list where the request has none: 50, or more where all of it is short and is read as a whole. */
  readonly pageSize: number;
  readonly bodies: Bodies;
  /** JSON responses are `{data, error, meta}`, and `response` is the schema of `data`. */
  readonly enveloped: boolean;
  /** The response contains a secret that is shown once: never stored for `Idempotency-Key`. */
  readonly secret: boolean;
  /** A request that only reads, even with POST: it needs no audit entry and no idempotency. */
  readonly reads: boolean;
  /**
   * Called by clients of another product: parameters that are not declared are ignored, the token may be the password of
   * Basic, and a body may be a form.
   */
  readonly isForeign: boolean;
  /** Of a POST: also called with the method REPORT, which the API document cannot name. */
  readonly takesReport: boolean;
  /** The last parameter of the path is as long as a request line may be, such as a context in Base64. */
  readonly longParameter: boolean;
  /** Media type of a `protocol` response, for the API document. */
  readonly media: string;
  /** Other media types that `Accept` can select, without the envelope. */
  readonly otherMedia: readonly string[];
  /** Media types of errors in the format of the route's protocol, for the API document. */
  readonly failureMedia: readonly string[];
  /** Media types of the request body, for the API document. */
  readonly requestMedia: readonly string[];
  /** The limit of a JSON body; ingest and evaluation have limits of their own. */
  readonly bodyLimit: BodyLimitName;
  /**
   * A request that succeeds. The API document shows it and the generated security tests send it. The tests provide the
   * ids in the path, and make the `key` and `name` of new resources unique.
   */
  readonly example?: Example;
}

export type AnyRoute = RouteDeclaration;

const NoBody = z.undefined();
export type NoBody = typeof NoBody;

export interface Example {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface RouteInput<
  Path extends string,
  A extends Auth,
  Query extends z.ZodRawShape,
  Body extends z.ZodType,
  Response extends z.ZodType,
  List extends boolean,
  CallerWorkspace extends boolean,
> {
  id: string;
  method: Method;
  path: Path;
  prefix?: string;
  trailingSlash?: boolean;
  summary: string;
  description?: string;
  auth: A;
  keyParameter?: string;
  keyInHeaderToo?: boolean;
  permission?: Permission;
  alsoNeeds?: Permission;
  callerWorkspace?: CallerWorkspace;
  scopeIn?: 'query' | 'body';
  query?: Query;
  body?: Body;
  response?: Response;
  status?: 101 | 200 | 201 | 202 | 204;
  otherStatus?: 202 | 302 | 304;
  accepted?: z.ZodType;
  errors?: readonly ErrorName[];
  list?: List;
  pageSize?: number;
  bodies?: Bodies;
  /** Of a `protocol` route whose handler writes the envelope itself. */
  enveloped?: boolean;
  secret?: boolean;
  reads?: boolean;
  isForeign?: boolean;
  takesReport?: boolean;
  longParameter?: boolean;
  media?: string;
  otherMedia?: readonly string[];
  failureMedia?: readonly string[];
  requestMedia?: readonly string[];
  bodyLimit?: BodyLimitName;
  example?: Example;
}

/**
 * Declares a route once. Mounting, permission checks, the OpenAPI document, the typed client and the generated
 * security tests all use this object. An object body must be a `z.strictObject`, so that a misspelled field name is an
 * error.
 */
export function route<
  const Path extends string,
  const A extends Auth,
  Query extends z.ZodRawShape = Record<never, never>,
  Body extends z.ZodType = NoBody,
  Response extends z.ZodType = z.ZodNull,
  const List extends boolean = false,
  const CallerWorkspace extends boolean = false,
>(
  input: RouteInput<Path, A, Query, Body, Response, List, CallerWorkspace>,
): RouteDeclaration<Path, A, z.ZodObject<Query>, Body, Response, List, CallerWorkspace> {
  const { query, body, response, ...rest } = input;
  const list = (input.list ?? false) as List;
  const media = input.media ?? 'application/json';
  const pageSize = input.pageSize ?? defaultPageSize;
  const callerWorkspace = (input.callerWorkspace ?? false) as CallerWorkspace;
  // Wider than the declared type: `RouteQuery` adds the same fields for lists and for the caller's workspace.
  const asked: z.ZodObject = (input.isForeign ? z.looseObject : z.strictObject)({
    ...query,
    ...(list ? pageQuery(pageSize).shape : {}),
    ...(callerWorkspace
      ? {
          workspace: z
            .string()
            .max(128)
            .optional()
            .meta({ description: 'id or slug; required only for members of several workspaces' }),
        }
      : {}),
  });
  return {
    ...rest,
    prefix: input.prefix ?? '/api/v1',
    trailingSlash: input.trailingSlash ?? false,
    tag: input.id.split('.')[0] ?? input.id,
    callerWorkspace,
    query: asked as z.ZodObject<Query>,
    body: (body ?? NoBody) as Body,
    response: (response ?? z.null()) as Response,
    status: input.status ?? (response ? (input.method === 'POST' && !input.reads ? 201 : 200) : 204),
    errors: input.errors ?? [],
    list,
    pageSize,
    bodies: input.bodies ?? 'envelope',
    enveloped: input.enveloped ?? (input.bodies !== 'protocol' && media === 'application/json'),
    secret: input.secret ?? false,
    reads: input.reads ?? input.method === 'GET',
    isForeign: input.isForeign ?? false,
    takesReport: input.takesReport ?? false,
    longParameter: input.longParameter ?? false,
    media,
    otherMedia: input.otherMedia ?? [],
    failureMedia: input.failureMedia ?? ['application/json'],
    requestMedia: input.requestMedia ?? ['application/json'],
    bodyLimit: input.bodyLimit ?? (input.auth === 'public' || body === undefined ? 'small' : 'ordinary'),
  };
}

export type RouteParameters<R> = R extends RouteDeclaration<infer Path> ? PathParameters<Path> : never;
type PageOf<R> = R extends { list: true } ? PageQuery : unknown;
type WorkspaceOf<R> = R extends { callerWorkspace: true } ? { workspace?: string | undefined } : unknown;
export type RouteQuery<R> = R extends { query: infer Q extends z.ZodType }
  ? OwnFields<z.output<Q>> & PageOf<R> & WorkspaceOf<R>
  : never;
/** A query without own fields is an empty index type, which would forbid the fields added here. */
type OwnFields<T> = string extends keyof T ? unknown : T;
export type RouteQueryInput<R> = R extends { query: infer Q extends z.ZodType }
  ? OwnFields<z.input<Q>> & (R extends { list: true } ? z.input<typeof PageQuery> : unknown) & WorkspaceOf<R>
  : never;
export type RouteBody<R> = R extends { body: infer B extends z.ZodType } ? z.output<B> : never;
export type RouteBodyInput<R> = R extends { body: infer B extends z.ZodType } ? z.input<B> : never;
/** What the handler returns and the client receives: for a list, an array of items. */
export type RouteResponse<R> = R extends { response: infer S extends z.ZodType; list: infer L }
  ? L extends true
    ? z.output<S>[]
    : z.output<S>
  : never;

function isRoute(value: unknown): value is AnyRoute {
  return typeof value === 'object' && value !== null && 'prefix' in value && 'method' in value && 'bodies' in value;
}

/** The routes exported by the files of an area, in file order. */
export function routesOf(...files: readonly object[]): readonly AnyRoute[] {
  return files.flatMap((file) => Object.values(file).filter(isRoute));
}
