import { fileURLToPath } from 'node:url';

/**
 * Path of a child's compiled entry, as seen from the module that starts it. Plain node cannot run the
 * sources, so a module that itself runs from `src` (under the test runner) gets its twin in `dist`.
 */
export function compiledEntry(name: string, importMetaUrl: string): string {
  const url = new URL(name, importMetaUrl);
  return fileURLToPath(url)
    .replace(/([\\/])src([\\/](?!.*[\\/]src[\\/]))/, '$1dist$2')
    .replace(/\.ts$/, '.js');
}
