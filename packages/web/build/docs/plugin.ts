import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { buildSite } from './site.ts';

/** Builds the documentation site into the folder `docs` of the application, so that each server has the pages of its version. */
export function docsSite(): Plugin {
  const root = fileURLToPath(new URL('../../../..', import.meta.url));
  let script = '';
  return {
    name: 'fanion:docs-site',
    apply: 'build',
    buildStart() {
      script = this.emitFile({ type: 'chunk', id: `${root}packages/web/src/docs/search.ts`, name: 'docs' });
    },
    generateBundle() {
      for (const { path, content } of buildSite(root, `../${this.getFileName(script)}`))
        this.emitFile({ type: 'asset', fileName: `docs/${path}`, source: content });
    },
  };
}
