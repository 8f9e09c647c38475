import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Found } from '../product.ts';
import { get } from './http.ts';

const LONGEST_START_MS = 60_000;

/** A peer's program out of the folder of binaries. */
export function inFolder(binaries: string | undefined, file: string): Found {
  if (binaries === undefined) return { missing: 'no folder of binaries is given (--binaries DIR)' };
  const program = join(binaries, file);
  return existsSync(program) ? { program } : { missing: `${file} is not in ${binaries}` };
}

/** A program out of PATH. */
export function inPath(file: string): Found {
  const folders = (process.env.PATH ?? '').split(':');
  const program = folders.map((folder) => join(folder, file)).find((path) => existsSync(path));
  return program === undefined ? { missing: `${file} is not in PATH` } : { program };
}

export interface Program {
  readonly pid: number;
  readonly directory: string;
  stop(): Promise<void>;
}

/** Starts a program on an empty directory; resolves when `ready` answers 200. */
export async function startProgram(
  program: string,
  { args, ready }: { args: (directory: string) => readonly string[]; ready: string },
): Promise<Program> {
  const directory = mkdtempSync(join(tmpdir(), 'fanion-bench-peer-'));
  const child = spawn(program, args(directory), { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] });
  // Nothing outlives the bench, however it ends.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  let said = '';
  child.stderr.on('data', (chunk) => {
    said = (said + chunk).slice(-500);
  });
  const started = { pid: child.pid ?? 0, directory, stop: () => end(child, directory) };
  const deadline = performance.now() + LONGEST_START_MS;
  while (
    !(await get(ready).then(
      ({ status }) => status === 200,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await started.stop();
      throw new Error(`${program} did not start: ${said}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return started;
}

async function end(child: ChildProcess, directory: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await exited;
    clearTimeout(timer);
  }
  rmSync(directory, { recursive: true, force: true });
}

/** Bytes that a directory takes on the disk, without what a merge removes meanwhile. */
export function bytesOnDisk(directory: string): number {
  let bytes = 0;
  for (const { path, isDirectory } of entriesOf(directory))
    try {
      bytes += lstatSync(path).blocks * 512 + (isDirectory ? bytesOnDisk(path) : 0);
    } catch {
      // A merge has removed it.
    }
  return bytes;
}

function entriesOf(directory: string): { path: string; isDirectory: boolean }[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.map((entry) => ({ path: join(directory, entry.name), isDirectory: entry.isDirectory() }));
  } catch {
    return [];
  }
}
