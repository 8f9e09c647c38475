import { existsSync } from 'node:fs';

const folder = new URL('../peers/', import.meta.url);

export function skipped(name: string, reason: string): void {
  console.log(`(${name}: left out, ${reason})`);
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
