import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyRoute } from '@fanion/contract';

/** What raw handlers read of a request's headers; both ways in (Node's parser, and `raw-connections.ts`) have them. */
export interface RawHeaders {
  readonly authorization?: string | undefined;
  readonly 'content-encoding'?: string | undefined;
  readonly 'content-type'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
  readonly origin?: string | undefined;
  readonly traceparent?: string | string[] | undefined;
  readonly 'x-api-key'?: string | string[] | undefined;
  readonly 'x-request-id'?: string | string[] | undefined;
}

export interface RawRequest {
  /** Path and query as they came. */
  readonly url: string;
  readonly headers: RawHeaders;
  /** Undefined: it is larger than `maxRawBytes`. */
  readonly body: Buffer | undefined;
}

/** JSON, unless it is a 304, which has no body. */
export interface RawAnswer {
  readonly status: number;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Answers a request; at once where it can. It never throws and never rejects: what goes wrong is an answer, too.
 * `parameter` is the last path segment, where the route ends in one.
 */
export type RawHandler = (request: RawRequest, parameter: string) => RawAnswer | Promise<RawAnswer>;

export interface RawRoute {
  readonly route: AnyRoute;
  readonly handler: RawHandler;
}

/** A context for an evaluation is a set of facts about one unit; what is larger is a mistake. */
export const maxRawBytes = 1024 * 1024;

export const jsonContentType = 'application/json; charset=utf-8';

type RawHandlers<File> = { [K in keyof File as File[K] extends AnyRoute ? K : never]: RawHandler };

/** Binds raw handlers to a file of the contract; a route without one is a type error. */
export function implementRaw<File extends object>(file: File, handlers: RawHandlers<File>): RawRoute[] {
  return Object.entries(handlers).map(([name, handler]) => ({
    route: file[name as keyof File] as AnyRoute,
    handler: handler as RawHandler,
  }));
}

export interface RawMatch {
  readonly handler: RawHandler;
  readonly parameter: string;
}

/** Finds the raw route that a request is for; undefined: it is for the framework. */
export type RawRouter = (method: string, url: string) => RawMatch | undefined;

/**
 * Routes that are called so often that a framework is too much for them (evaluation): answered before it. A path is
 * matched as it is written, or up to its last segment.
 */
export function rawRouter(routes: readonly RawRoute[]): RawRouter {
  const exact = new Map<string, { method: string; match: RawMatch }>();
  const prefixes: { method: string; prefix: string; handler: RawHandler }[] = [];
  for (const { route, handler } of routes) {
    const path = route.prefix + route.path;
    const parameter = /\{\w+\}$/.exec(path);
    if (parameter === null) exact.set(path, { method: route.method, match: { handler, parameter: '' } });
    else prefixes.push({ method: route.method, prefix: path.slice(0, parameter.index), handler });
  }
  return (method, url) => {
    const question = url.indexOf('?');
    const path = question < 0 ? url : url.slice(0, question);
    for (const { method: wanted, prefix, handler } of prefixes) {
      if (
        method !== wanted ||
        !path.startsWith(prefix) ||
        path.length === prefix.length ||
        path.includes('/', prefix.length)
      )
        continue;
      const parameter = decode(path.slice(prefix.length));
      // What cannot be decoded is no path of ours; the framework says so.
      return parameter === undefined ? undefined : { handler, parameter };
    }
    const found = exact.get(path);
    return found?.method === method ? found.match : undefined;
  };
}

function decode(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Answers a request that came through Node's HTTP parser. Returns whether it was one for a raw route. */
export function answerRaw(router: RawRouter, request: IncomingMessage, response: ServerResponse): boolean {
  const { method = '', url = '' } = request;
  const match = router(method, url);
  if (match === undefined) return false;
  readBody(request, maxRawBytes, (body) => {
    const answer = match.handler({ url, headers: request.headers, body }, match.parameter);
    if (answer instanceof Promise) void answer.then((late) => write(response, late));
    else write(response, answer);
  });
  return true;
}

function write(response: ServerResponse, { status, body, headers }: RawAnswer): void {
  if (response.destroyed) return;
  if (status === 304) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(status, {
    'content-type': jsonContentType,
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

/** Reads a body up to a limit; calls back once, with undefined where it is larger. A client that goes away is never called back for. */
function readBody(request: IncomingMessage, limit: number, done: (body: Buffer | undefined) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= limit) return;
    // What still comes is read and thrown away, so that the answer reaches a client that is still sending.
    request.removeAllListeners('data').removeAllListeners('end').resume();
    done(undefined);
  });
  request.on('end', () => {
    const [only] = chunks;
    done(only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks));
  });
  // Without a listener a broken connection would be thrown.
  request.on('error', () => {});
}
