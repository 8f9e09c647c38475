import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

const noncePlaceholder = /__CSP_NONCE__/g;
/** Paths of protocols: an unknown path there is an error, never a page. */
const protocolPath = /^\/(api|ofrep|v1|v1development|internal|prometheus|loki|jaeger)(\/|$)/;
/** The directory of the documentation: its pages link to each other relative to it. */
const docs = '/docs/';
const assetPath = /^\/[\w./-]+\.\w+$/;

/**
 * Serves the web application: hashed assets with unlimited caching, and the page for every other path that a browser
 * opens. Files are looked up per request, so a new build is served at once.
 */
export async function serveWeb(app: FastifyInstance, directory: string): Promise<void> {
  const sendPage = async (reply: FastifyReply) => {
    const page = await readFile(join(directory, 'index.html'), 'utf8');
    const { script, style } = reply.cspNonce;
    // One nonce for both, so that the application can pass it to code that injects styles.
    const policy = String(reply.getHeader('content-security-policy')).replace(`'nonce-${style}'`, `'nonce-${script}'`);
    return reply
      .header('content-security-policy', policy)
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(page.replace(noncePlaceholder, script));
  };
  await app.register(fastifyStatic, { root: directory, serve: false, dotfiles: 'ignore' });
  app.get('/', { exposeHeadRoute: true }, (_request, reply) => sendPage(reply));
  app.get('/*', { exposeHeadRoute: true }, (request, reply) => {
    const path = request.url.split('?')[0] ?? '/';
    if (!protocolPath.test(path)) {
      // The nonce must be filled in, also where `//index.html` or `/./index.html` names the same file.
      if (posix.normalize(path) === '/index.html') return sendPage(reply);
      if (`${path}/` === docs) return reply.redirect(docs, 308);
      const file = path === docs ? `${docs}index.html` : path;
      if (assetPath.test(file) && !file.includes('..')) {
        const isHashed = file.startsWith('/assets/');
        reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
        return reply.sendFile(file.slice(1), { cacheControl: false });
      }
      if ((request.headers.accept ?? '').includes('text/html')) return sendPage(reply);
    }
    return reply.callNotFound();
  });
}
