import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyRoute } from '@fanion/contract';

/** What a raw handler gets: the request as Node has it, and the last path segment where the route ends in a parameter. */
export type RawHandler = (request: IncomingMessage, response: ServerResponse, parameter: string) => void;

export interface RawRoute {
  readonly route: AnyRoute;
  readonly handler: RawHandler;
}

type RawHandlers<File> = { [K in keyof File as File[K] extends AnyRoute ? K : never]: RawHandler };

/** Binds raw handlers to a file of the contract; a route without one is a type error. */
export function implementRaw<File extends object>(file: File, handlers: RawHandlers<File>): RawRoute[] {
  return Object.entries(handlers).map(([name, handler]) => ({
    route: file[name as keyof File] as AnyRoute,
    handler: handler as RawHandler,
  }));
}

/**
 * Routes that are called so often that a framework is too much for them (evaluation): answered straight from Node's
 * HTTP server. A path is matched as it is written, or up to its last segment; whatever else is asked for goes on to the framework.
 * @returns whether the request was taken
 */
export function rawRouter(
  routes: readonly RawRoute[],
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const exact = new Map<string, RawHandler>();
  const prefixes: { method: string; prefix: string; handler: RawHandler }[] = [];
  for (const { route, handler } of routes) {
    const path = route.prefix + route.path;
    const parameter = /\{\w+\}$/.exec(path);
    if (parameter === null) exact.set(`${route.method} ${path}`, handler);
    else prefixes.push({ method: route.method, prefix: path.slice(0, parameter.index), handler });
  }
  return (request, response) => {
    const { method = '', url = '' } = request;
    const question = url.indexOf('?');
    const path = question < 0 ? url : url.slice(0, question);
    const found = exact.get(`${method} ${path}`);
    if (found !== undefined) {
      found(request, response, '');
      return true;
    }
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
      if (parameter === undefined) return false;
      handler(request, response, parameter);
      return true;
    }
    return false;
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

/** Reads a body up to a limit; calls back once, with undefined where it is larger. A client that goes away is never called back for. */
export function readBody(request: IncomingMessage, limit: number, done: (body: Buffer | undefined) => void): void {
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
