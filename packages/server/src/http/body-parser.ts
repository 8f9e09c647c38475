import type { FastifyInstance } from 'fastify';
import { fail } from '../platform/fail.ts';

/**
 * JSON as data: `__proto__` and `constructor` become ordinary own keys of an object, which strict schemas then refuse
 * by name, so no request can reach a prototype. An empty body is no body.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'string' },
    (_request, text, done) => {
      if (text === '') return done(null, undefined);
      try {
        done(null, JSON.parse(text as string));
      } catch (error) {
        done(fail('MALFORMED_BODY', { reason: (error as Error).message.slice(0, 200) }), undefined);
      }
    },
  );
}
