import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Process ids of the embedded stores, which are children of the server; their command lines name them. */
export interface StoreProcesses {
  readonly telemetry: number | undefined;
  readonly control: number | undefined;
}

export function storesOf(server: number | undefined): StoreProcesses {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args=']).toString().split('\n');
  const find = (name: string) => {
    const line = lines.find(
      (text) => text.trim().split(/\s+/)[1] === String(server) && text.includes(`/${name}/child.js`),
    );
    return line === undefined ? undefined : Number(line.trim().split(/\s+/)[0]);
  };
  return { telemetry: find('telemetry'), control: find('control') };
}

/** Sends a signal to a process that may have ended. */
export function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Resident memory of a process, in MiB. */
export function memoryOf(pid: number | undefined): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) / 1024;
}

/** Bytes of segments in the write-ahead log. */
export function walBytes(dataDir: string): number {
  const dir = join(dataDir, 'wal');
  return (
    readdirSync(dir)
      .filter((name) => name.endsWith('.wal'))
      // A segment that was stored and removed since it was listed counts as 0.
      .reduce((sum, name) => sum + (statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0), 0)
  );
}

/** Values of the server's own metrics, by name; for those with labels, the last one. */
export async function ownMetrics(base: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${base}/internal/metrics`)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.replace(/[{ ].*/, ''), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}

/** The value below which the given share of samples lies. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The environment of a command that kills itself when it says something: a signal from elsewhere may come later. */
export function killedAt(said: string): { readonly NODE_OPTIONS: string } {
  const script = `const { stderr } = process; const write = stderr.write.bind(stderr);
    stderr.write = (text, ...more) => {
      if (String(text).includes(${JSON.stringify(said)})) process.kill(process.pid, 'SIGKILL');
      return write(text, ...more);
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}
