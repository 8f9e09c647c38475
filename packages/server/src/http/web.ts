import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../platform/fail.ts';
import { sendFailure } from './envelope.ts';

const noncePlaceholder = /__CSP_NONCE__/g;
/** Addresses that belong to protocols: an unknown one there is an error, never a page. */
const protocolPath = /^\/(api|ofrep|v1|v1development|internal|prometheus|loki)(\/|$)/;

/** Serves the web application: its hashed assets for ever, and its page for every other address that a person opens. */
export async function serveWeb(app: FastifyInstance, directory: string): Promise<void> {
  const page = readFileSync(join(directory, 'index.html'), 'utf8');
  const sendPage = (reply: FastifyReply) => {
    const { script } = reply.cspNonce;
    // One nonce for both, so that the application can hand it to what injects styles.
    const policy = String(reply.getHeader('content-security-policy')).replace(
      `'nonce-${reply.cspNonce.style}'`,
      `'nonce-${script}'`,
    );
    return reply
      .header('content-security-policy', policy)
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(page.replace(noncePlaceholder, script));
  };
  app.get('/', { exposeHeadRoute: false }, (_request, reply) => sendPage(reply));
  await app.register(fastifyStatic, {
    root: directory,
    index: false,
    wildcard: false,
    serveDotFiles: false,
    setHeaders: (response, path) =>
      response.setHeader(
        'cache-control',
        path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      ),
  });
  app.get('/*', { exposeHeadRoute: false }, (request: FastifyRequest, reply) => {
    const path = request.url.split('?')[0] ?? '/';
    const wantsPage = (request.headers.accept ?? '').includes('text/html');
    if (protocolPath.test(path) || !wantsPage || /\.\w+$/.test(path))
      return sendFailure(fail('ROUTE_NOT_FOUND', { method: request.method, path: path.slice(0, 200) }), request, reply);
    return sendPage(reply);
  });
}
