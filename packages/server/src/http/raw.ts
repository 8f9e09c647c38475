import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyRoute } from '@fanion/contract';
import { discardBody } from './discard.ts';

/** The headers that raw handlers read; both Node's parser and `raw-connections.ts` provide them. */
export type RawHeaders = {
  readonly authorization?: string | undefined;
  readonly 'content-encoding'?: string | undefined;
  readonly 'content-length'?: string | undefined;
  readonly 'content-type'?: string | undefined;
  readonly 'flagd-selector'?: string | string[] | undefined;
  readonly 'if-none-match'?: string | undefined;
  readonly origin?: string | undefined;
  readonly traceparent?: string | string[] | undefined;
  readonly 'connect-protocol-version'?: string | string[] | undefined;
  readonly 'connect-timeout-ms'?: string | string[] | undefined;
  readonly 'x-api-key'?: string | string[] | undefined;
  readonly 'x-forwarded-for'?: string | string[] | undefined;
  readonly 'x-request-id'?: string | string[] | undefined;
};

export interface RawRequest {
  /** Path and query as received. */
  readonly url: string;
  readonly headers: RawHeaders;
  /** Undefined if larger than the caller's limit. */
  readonly body: Buffer | undefined;
}

/** A response; a 304 has no body. */
export interface RawAnswer {
  readonly status: number;
  readonly body: string | Uint8Array;
  /** JSON by default. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Answers a request, synchronously if possible. It never throws and never rejects: errors are responses too.
 * `parameter` is the last path segment, if the route ends in a parameter.
 */
export type RawHandler = (request: RawRequest, parameter: string) => RawAnswer | Promise<RawAnswer>;

/**
 * Decides from the head of a request how many bytes of a body are read for it, or answers without reading any. The
 * handler decides again for a body that has arrived. It never throws and never rejects.
 */
export type RawGate = (
  request: Omit<RawRequest, 'body'>,
  parameter: string,
) => number | RawAnswer | Promise<number | RawAnswer>;

export interface RawRoute {
  readonly route: AnyRoute;
  readonly gate: RawGate;
  readonly handler: RawHandler;
}

export const jsonContentType = 'application/json; charset=utf-8';

type RawHandlers<File> = { [K in keyof File as File[K] extends AnyRoute ? K : never]: Omit<RawRoute, 'route'> };

/** Binds raw handlers to a file of the contract; a route without one is a type error. */
export function implementRaw<File extends object>(file: File, handlers: RawHandlers<File>): RawRoute[] {
  return Object.entries<Omit<RawRoute, 'route'>>(handlers).map(([name, { gate, handler }]) => ({
    route: file[name as keyof File] as AnyRoute,
    gate,
    handler,
  }));
}

export interface RawMatch {
  readonly gate: RawGate;
  readonly handler: RawHandler;
  readonly parameter: string;
}

/** Finds the raw route of a request; undefined: the framework handles it. */
export type RawRouter = (method: string, url: string) => RawMatch | undefined;

/**
 * Routes called so often (evaluation) that they are answered without the framework. A path is matched exactly, or up to
 * its last segment.
 */
export function rawRouter(routes: readonly RawRoute[]): RawRouter {
  const exact = new Map<string, { method: string; match: RawMatch }>();
  const prefixes: { method: string; prefix: string; gate: RawGate; handler: RawHandler }[] = [];
  for (const { route, gate, handler } of routes) {
    const path = route.prefix + route.path;
    const parameter = /\{\w+\}$/.exec(path);
    if (parameter === null) exact.set(path, { method: route.method, match: { gate, handler, parameter: '' } });
    else prefixes.push({ method: route.method, prefix: path.slice(0, parameter.index), gate, handler });
  }
  return (method, url) => {
    const question = url.indexOf('?');
    const path = question < 0 ? url : url.slice(0, question);
    for (const { method: wanted, prefix, gate, handler } of prefixes) {
      if (
        method !== wanted ||
        !path.startsWith(prefix) ||
        path.length === prefix.length ||
        path.includes('/', prefix.length)
      )
        continue;
      const parameter = decode(path.slice(prefix.length));
      // A path that cannot be decoded is not a raw route; the framework answers 404.
      return parameter === undefined ? undefined : { gate, handler, parameter };
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

/** Answers a request from Node's HTTP parser. Returns whether it matched a raw route. */
export function answerRaw(router: RawRouter, request: IncomingMessage, response: ServerResponse): boolean {
  const { method = '', url = '' } = request;
  const match = router(method, url);
  if (match === undefined) return false;
  const { headers } = request;
  const answer = (found: RawAnswer | Promise<RawAnswer>) => {
    if (found instanceof Promise) void found.then((late) => write(response, late));
    else write(response, found);
  };
  const admit = (most: number | RawAnswer) => {
    if (typeof most === 'number') {
      readBody(request, most, (body) => answer(match.handler({ url, headers, body }, match.parameter)));
      return;
    }
    discardBody(request);
    answer(most);
  };
  const most = match.gate({ url, headers }, match.parameter);
  if (most instanceof Promise) void most.then(admit);
  else admit(most);
  return true;
}

function write(response: ServerResponse, { status, body, type = jsonContentType, headers }: RawAnswer): void {
  if (response.destroyed) return;
  if (status === 304) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

/** Reads a body up to a limit; calls back once, with undefined if it is larger. Does not call back if the client disconnects. */
export function readBody(request: IncomingMessage, limit: number, done: (body: Buffer | undefined) => void): void {
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    discardBody(request);
    done(undefined);
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size <= limit) return;
    // Discard the rest, so that the response reaches a client that is still sending.
    request.removeAllListeners('data').removeAllListeners('end');
    discardBody(request);
    done(undefined);
  });
  request.on('end', () => {
    const [only] = chunks;
    done(only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks));
  });
  // Without a listener, a broken connection would throw.
  request.on('error', () => {});
}
