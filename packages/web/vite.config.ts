import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { chunkGroups } from './build/chunks.ts';
import { contractForClient } from './build/contract-for-client.ts';
import { docsSite } from './build/docs/plugin.ts';

const packages = fileURLToPath(new URL('..', import.meta.url));
const server = process.env.FANION_DEV_API ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react(), contractForClient(), docsSite()],
  resolve: {
    // Workspace packages come from their sources: the web application never waits for their dist.
    alias: [
      { find: /^@fanion\/oql\/(editor|syntax)$/, replacement: `${packages}oql/src/$1/index.ts` },
      { find: /^@fanion\/([a-z-]+)$/, replacement: `${packages}$1/src/index.ts` },
      // The client does not validate: see no-validation.ts.
      { find: /^zod$/, replacement: `${packages}web/src/api/no-validation.ts` },
    ],
  },
  // The server replaces the placeholder in index.html with a fresh nonce per request.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: 'dist/app',
    emptyOutDir: true,
    target: 'es2022',
    // font-src is 'self' alone, so nothing may be inlined as a data: URI.
    assetsInlineLimit: 0,
    // All styles together are small; a file for each page would be two or three requests more.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: chunkGroups() } } },
    // Both large files are what they have to be: the entry's limit is a test.
    chunkSizeWarningLimit: 900,
  },
  server: { proxy: { '/api': server, '/ofrep': server, '/v1': server } },
});
