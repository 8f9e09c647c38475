import { isDeeperThan } from '@fanion/flag-engine';
import type { FastifyInstance } from 'fastify';
import { fail } from '../platform/fail.ts';

/**
 * Deepest nesting of a body. All stored JSON passes through here, and code that walks or prints it uses the stack: a
 * value that cannot be printed could never be read, changed or deleted.
 */
export const maxJsonDepth = 100;

/**
 * JSON as data: `__proto__` and `constructor` become ordinary own keys, which strict schemas reject by name, so no request
 * can reach a prototype. An empty body counts as no body.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'string' },
    (_request, text, done) => {
      if (text === '') return done(null, undefined);
      let body: unknown;
      try {
        body = JSON.parse(text as string);
      } catch (error) {
        return done(fail('MALFORMED_BODY', { reason: (error as Error).message.slice(0, 200) }), undefined);
      }
      if (isDeeperThan(body, maxJsonDepth)) return done(fail('JSON_TOO_DEEP', { limit: maxJsonDepth }), undefined);
      done(null, body);
    },
  );
}
