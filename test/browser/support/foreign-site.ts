import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

export interface ForeignSite {
  readonly origin: string;
  stop(): Promise<void>;
}

/** A site on a separate origin with one page that runs `script` (a TypeScript file in this folder, bundled). */
export async function startForeignSite(script: string): Promise<ForeignSite> {
  const bundled = await build({
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      minify: false,
      lib: { entry: fileURLToPath(new URL(script, import.meta.url)), formats: ['es'], fileName: 'page' },
    },
  });
  const [output] = [bundled].flat();
  if (output === undefined || !('output' in output)) throw new Error('nothing was bundled');
  const { code } = output.output[0];
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
    response.end(isScript ? code : '<!doctype html><title>Shop</title><script type="module" src="/page.js"></script>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the site does not listen');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
