import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

/**
 * What a test file starts.
 * - `unit`: nothing; pure code
 * - `store`: a database of its own, or one feature over it
 * - `system`: the composed server, its processes, or a browser
 * - `faults`: like `system`, and breaks parts of it
 */
export const TIERS = ['unit', 'store', 'system', 'faults'] as const;
export type Tier = (typeof TIERS)[number];

const packagesFolder = 'packages';
/** Reaching one of these makes a test more than a unit; the whole server before the stores. */
const systemModules = ['packages/server/src/compose.ts', 'test/support/server-process.ts'];
const storeModules = ['packages/embedded/src/', 'packages/server/src/testing/postgres-binaries.ts'];

/** The files of each tier, by their imports at any depth. `root` is the folder of the repository, with a final `/`. */
export function testFilesByTier(root: string): Readonly<Record<Tier, string[]>> {
  const files = Object.fromEntries(TIERS.map((tier) => [tier, [] as string[]])) as Record<Tier, string[]>;
  const reached = reachableFrom(root);
  for (const folder of [packagesFolder, 'test'])
    for (const name of readdirSync(root + folder, { recursive: true, encoding: 'utf8' })) {
      const path = posix.join(folder, name.replaceAll('\\', '/'));
      if (!/\.test\.tsx?$/.test(path) || /\/(node_modules|dist)\//.test(path)) continue;
      files[tierOf(path, reached(path))].push(path);
    }
  return files;
}

function tierOf(path: string, imports: ReadonlySet<string>): Tier {
  if (path.startsWith('test/faults/')) return 'faults';
  const reaches = (modules: readonly string[]) =>
    [...imports].some((file) => modules.some((module) => file.startsWith(module)));
  if (path.startsWith('test/') && /\/(browser|clients)\//.test(path)) return 'system';
  if (reaches(systemModules)) return 'system';
  return reaches(storeModules) || path.startsWith('packages/embedded/') ? 'store' : 'unit';
}

const importOf = /(?:\bfrom |\bimport\(|\bimport )'([^']+)'/g;
const typeImport = /^(?:import|export) type [^;]*?;/gm;

/** All imports of a file at any depth, including itself; type imports are ignored. */
function reachableFrom(root: string): (path: string) => ReadonlySet<string> {
  const direct = new Map<string, readonly string[]>();
  const importsOf = (path: string): readonly string[] => {
    const known = direct.get(path);
    if (known !== undefined) return known;
    const text = existsSync(root + path) ? readFileSync(root + path, 'utf8').replace(typeImport, '') : '';
    const found = [...text.matchAll(importOf)].flatMap(([, name = '']) => resolve(path, name));
    direct.set(path, found);
    return found;
  };
  return (path) => {
    const reached = new Set([path]);
    for (const file of reached) for (const next of importsOf(file)) reached.add(next);
    return reached;
  };
}

function resolve(from: string, name: string): string[] {
  if (name.startsWith('.')) return /\.tsx?$/.test(name) ? [posix.join(posix.dirname(from), name)] : [];
  const [, workspacePackage] = /^@fanion\/([a-z-]+)$/.exec(name) ?? [];
  return workspacePackage === undefined ? [] : [`${packagesFolder}/${workspacePackage}/src/index.ts`];
}
