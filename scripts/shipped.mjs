// Which packages of others a user gets: the dependencies of the published packages, and what the web application has in its bundle.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** They only build the web application. */
const tools = /^(vite|@vitejs\/.*|@types\/.*)$/;

/** @returns {{ name: string, version: string, license: string | undefined, integrity: string, inBundle: boolean }[]} by name */
export function shippedPackages() {
  const lock = JSON.parse(readFileSync(fileURLToPath(new URL('../package-lock.json', import.meta.url)), 'utf8'));
  const entries = lock.packages;
  const found = new Map();

  function placeOf(from, name) {
    for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
      const place = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
      if (entries[place] !== undefined) return place;
      if (at === '') return undefined;
    }
  }
  function add(from, names, inBundle) {
    for (const name of names) {
      const place = placeOf(from, name);
      const entry = entries[place];
      // An optional package of another platform, or one of our own, whose dependencies are added for itself.
      if (entry === undefined || entry.link || found.has(place)) continue;
      found.set(place, { name, version: entry.version, license: entry.license, integrity: entry.integrity, inBundle });
      add(place, Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }), inBundle);
    }
  }
  for (const [folder, entry] of Object.entries(entries)) {
    if (!folder.startsWith('packages/')) continue;
    add(folder, Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }), false);
    // The SDK's bundle contains the flag engine, whose dependencies are added above.
    if (folder === 'packages/web')
      add(
        folder,
        Object.keys(entry.devDependencies).filter((name) => !tools.test(name)),
        true,
      );
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
