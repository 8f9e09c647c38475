import type { FastifyInstance } from 'fastify';

/**
 * Reads bodies as the clients of other products send them: a form becomes `URLSearchParams`, protobuf stays bytes, and JSON stays
 * text.
 */
export function readForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) =>
    done(null, new URLSearchParams(text as string)),
  );
  app.addContentTypeParser('application/x-protobuf', { parseAs: 'buffer' }, (_request, bytes, done) =>
    done(null, bytes),
  );
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => done(null, text));
}
