import type { AnyRoute } from '@fanion/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../platform/fail.ts';
import { takesHead } from './mount.ts';

export type SendFailure = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** The methods that a path supports, in alphabetical order; empty for an unknown path. */
export type MethodsOf = (path: string) => readonly string[];

/** Searches all routes, since it is only called for requests that no route matches. */
export function methodsOf(routes: readonly AnyRoute[]): MethodsOf {
  const known = routes.map((route) => ({
    methods: [route.method, ...(takesHead(route) ? ['HEAD'] : []), ...(route.takesReport ? ['REPORT'] : [])],
    pattern: patternOf(route),
  }));
  return (path) => {
    const found = known.filter(({ pattern }) => pattern.test(path));
    return [...new Set(found.flatMap(({ methods }) => methods))].sort();
  };
}

function patternOf({ prefix, path, trailingSlash }: AnyRoute): RegExp {
  const segments = (prefix + path)
    .split('/')
    .map((segment) => (/^\{\w+\}$/.test(segment) ? '[^/]+' : segment.replaceAll('.', '\\.')));
  return new RegExp(`^${segments.join('/')}${trailingSlash ? '/?' : ''}$`);
}

/** Answers requests that match no route: 405 if the path supports other methods (RFC 9110 §15.5.6), else 404. */
export function sendNotFound(
  methods: MethodsOf,
  sendFailure: SendFailure,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { method, url } = request;
  const [path = url] = url.split('?');
  const shown = path.slice(0, 200);
  const takes = methods(path);
  // A path that cannot be decoded can match a pattern, but is not a route.
  if (takes.length === 0 || takes.includes(method))
    return sendFailure(fail('ROUTE_NOT_FOUND', { method, path: shown }), request, reply);
  const allowed = takes.join(', ');
  reply.header('allow', allowed);
  return sendFailure(fail('METHOD_NOT_ALLOWED', { method, path: shown, allowed }), request, reply);
}
