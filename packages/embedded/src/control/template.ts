import { fork } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, open, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { compressFile, unpackSnapshot } from './snapshots.ts';
import { packFolder } from './tar.ts';

/**
 * An empty database, packed. PGlite's initdb takes three to four seconds and leaves 800 MB of WebAssembly behind in its
 * process; unpacking takes a fraction of a second. It depends only on PGlite's version. The build creates it, or the
 * first start without it.
 */
function templatePath(): string {
  const main = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const { version }: { version: string } = JSON.parse(readFileSync(join(dirname(main), '../package.json'), 'utf8'));
  return fileURLToPath(new URL(`./pgdata-${version}.tar.gz`, import.meta.url));
}

/** Creates a database's folder if missing; all or nothing. */
export async function ensureDatabaseFolder(folder: string): Promise<void> {
  if (existsSync(join(folder, 'PG_VERSION'))) return;
  await rm(folder, { recursive: true, force: true });
  const template = templatePath();
  if (!existsSync(template)) await makeTemplateAside();
  await unpackSnapshot(template, folder);
}

/** In a separate process, because of its memory use. */
function makeTemplateAside(): Promise<void> {
  return new Promise((resolve, reject) => {
    const maker = fork(fileURLToPath(new URL('./make-template.js', import.meta.url)), { execArgv: [] });
    maker.once('error', reject);
    maker.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`the empty database could not be made (${signal ?? code})`));
    });
  });
}

/** Creates the template unless it exists. */
export async function makeTemplate(): Promise<void> {
  const target = templatePath();
  if (existsSync(target)) return;
  const work = await mkdtemp(join(tmpdir(), 'fanion-template-'));
  try {
    const folder = join(work, 'pgdata');
    const database = await PGlite.create({ dataDir: folder });
    // Removes two thirds of the files; no further databases are created here.
    await database.exec("UPDATE pg_database SET datistemplate = false WHERE datname LIKE 'template%'");
    for (const name of ['template0', 'template1']) await database.exec(`DROP DATABASE IF EXISTS ${name}`);
    await database.exec('CHECKPOINT');
    await database.close();

    const packed = join(work, 'pgdata.tar');
    const tar = await open(packed, 'w', 0o600);
    try {
      await packFolder(folder, tar);
    } finally {
      await tar.close();
    }
    // Next to its target, since a rename is atomic only within one file system.
    const compressed = `${target}.${process.pid}`;
    await compressFile(packed, compressed);
    await rename(compressed, target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
