import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

const folder = new URL('../peers/', import.meta.url);
const installed = createRequire(new URL('package.json', folder));

export function skipped(name: string, reason: string): void {
  console.log(`(${name}: left out, ${reason})`);
}

/** A package of `bench/peers`, or undefined where they are not installed; then it says how to. */
export function peer(name: string): ReturnType<typeof installed> | undefined {
  if (!existsSync(new URL('node_modules', folder))) {
    skipped(name, 'run npm ci --prefix bench/peers --ignore-scripts');
    return undefined;
  }
  return installed(name);
}

/** The binary that an environment variable names. */
export function binary(name: string, variable: string): string | undefined {
  const path = process.env[variable];
  if (path !== undefined && existsSync(path)) return path;
  skipped(name, `${variable} does not name its binary`);
  return undefined;
}

/** A Node that is new enough for `unleash-server`: the one of `bench/peers`. */
export function newerNode(): string | undefined {
  const path = new URL(`node_modules/node-${process.platform}-${process.arch}/bin/node`, folder);
  if (existsSync(path)) return path.pathname;
  skipped(
    'unleash-server',
    'its Node is not in bench/peers/node_modules; run npm ci --prefix bench/peers --ignore-scripts',
  );
  return undefined;
}
