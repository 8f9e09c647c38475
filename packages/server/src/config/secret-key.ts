import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the keys of a server without `FANION_SECRET_KEY` are; the previous one exists only while it is replaced. */
export function secretKeyFiles(dataDir: string): { readonly current: string; readonly previous: string } {
  return { current: join(dataDir, 'secret.key'), previous: join(dataDir, 'secret.key.previous') };
}

/** Those of them that exist. */
export function keyFilesIn(dataDir: string): string[] {
  const { current, previous } = secretKeyFiles(dataDir);
  return [current, previous].filter((file) => existsSync(file));
}

/** Reads the key of this data directory, and creates it at the first start. */
export function ownSecretKey(dataDir: string): Buffer {
  const { current } = secretKeyFiles(dataDir);
  if (!existsSync(current)) writeFileSync(current, newSecretKey(), { mode: 0o600, flag: 'wx' });
  return readKeyFile(current) ?? Buffer.alloc(0);
}

export function newSecretKey(): string {
  return randomBytes(32).toString('base64url');
}

export function readKeyFile(file: string): Buffer | undefined {
  return existsSync(file) ? Buffer.from(readFileSync(file, 'utf8').trim()) : undefined;
}
