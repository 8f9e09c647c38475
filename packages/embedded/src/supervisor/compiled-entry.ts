import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Path of a child's compiled entry, relative to the module that starts it. Plain Node cannot run the sources, so a
 * module that runs from `src` (under the test runner) gets the corresponding file in `dist`.
 */
export function compiledEntry(name: string, importMetaUrl: string): string {
  const path = fileURLToPath(new URL(name, importMetaUrl)).replace(/\.ts$/, '.js');
  if (!importMetaUrl.endsWith('.ts')) return path;
  const at = path.lastIndexOf(SOURCES);
  return path.slice(0, at) + COMPILED + path.slice(at + SOURCES.length);
}

const SOURCES = `${sep}src${sep}`;
const COMPILED = `${sep}dist${sep}`;
