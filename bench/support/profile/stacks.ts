import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import type { NativeNames } from './native-names.ts';

/**
 * Cycles from sample to sample, about half a millisecond. A number of samples a second would count threads too often that wake up and sleep
 * again.
 */
const CYCLES = 1_500_000;
/** Bytes of the stack that go with each sample: the library has no frame pointers. */
const STACK_BYTES = 32_768;

export interface Recording {
  stop(): Promise<void>;
}

/** Samples where a process spends processor time outside of the kernel, with `perf`. */
export async function record(pid: number, file: string): Promise<Recording> {
  const graph = ['--call-graph', `dwarf,${STACK_BYTES}`];
  // Of the process alone: what recording itself costs is in the kernel.
  const how = ['-q', '-e', 'cycles:u', '-c', String(CYCLES), ...graph];
  const perf: ChildProcess = spawn('perf', ['record', ...how, '-o', file, '-p', String(pid)], { stdio: 'ignore' });
  await once(perf, 'spawn');
  return {
    async stop() {
      const ended = once(perf, 'exit');
      perf.kill('SIGINT');
      await ended;
    },
  };
}

/**
 * Stacks of a recording, from the thread and the outermost function to the innermost, and how often each was found. Only functions of the
 * library are in them, and of these only those that have a name.
 */
export function foldedStacks(file: string, names: NativeNames): Map<string, number> {
  forgetWholeFile(file, names.file);
  const script = ['script', '-i', file, '--no-inline', '-F', 'comm,ip,sym,dso'];
  const text = execFileSync('perf', script, { maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] }).toString();
  const folded = new Map<string, number>();
  for (const sample of text.split('\n\n')) {
    const [head, ...lines] = sample.split('\n').filter((line) => line.trim() !== '');
    if (head === undefined) continue;
    const frames = lines.map((line) => frameOf(line, names));
    const named = frames.filter((frame, i) => frame !== undefined && frame !== frames[i + 1]).reverse();
    const stack = [head.trim().replace(/[:\s].*$/, ''), ...named].join(';');
    folded.set(stack, (folded.get(stack) ?? 0) + 1);
  }
  return folded;
}

/** A record of a mapping: its type, and where its length, offset in the file and name of the file lie. */
const MAPPING = { type: 10, length: 24, offset: 32, name: 72 } as const;

/**
 * The engine maps its library a second time, as a whole, to look for symbols that it does not have. `perf` takes that for where
 * the code lies, and finds no caller of anything. This gives the file another name in the record of that mapping.
 */
function forgetWholeFile(recorded: string, library: string): void {
  const bytes = readFileSync(recorded);
  const { size } = statSync(library);
  for (let at = bytes.indexOf(library); at >= 0; at = bytes.indexOf(library, at + 1)) {
    const start = at - MAPPING.name;
    if (start < 0 || bytes.readUInt32LE(start) !== MAPPING.type) continue;
    const isWhole = bytes.readBigUInt64LE(start + MAPPING.length) >= size;
    if (isWhole && bytes.readBigUInt64LE(start + MAPPING.offset) === 0n) bytes[at] = '-'.charCodeAt(0);
  }
  writeFileSync(recorded, bytes);
}

function frameOf(line: string, names: NativeNames): string | undefined {
  const [, address, dso] = /^\s*([0-9a-f]+) .* \((.*)\)$/.exec(line) ?? [];
  // Addresses of code without a symbol are places in its file.
  return address === undefined || dso !== names.file ? undefined : names.nameOf(Number.parseInt(address, 16));
}

export interface Share {
  readonly name: string;
  /** Of all samples. */
  readonly share: number;
}

/** The functions with most samples: those that were running or called what has no name, and those that were anywhere in the stack. */
export function summary(folded: ReadonlyMap<string, number>, most: number): { self: Share[]; inclusive: Share[] } {
  const [self, inclusive] = [new Map<string, number>(), new Map<string, number>()];
  let all = 0;
  const add = (to: Map<string, number>, name: string, count: number) => to.set(name, (to.get(name) ?? 0) + count);
  for (const [stack, count] of folded) {
    const frames = stack.split(';');
    all += count;
    add(self, frames.at(-1) ?? '', count);
    for (const name of new Set(frames)) add(inclusive, name, count);
  }
  const highest = (counts: ReadonlyMap<string, number>): Share[] =>
    [...counts]
      .sort(([, a], [, b]) => b - a)
      .slice(0, most)
      .map(([name, count]) => ({ name, share: count / all }));
  return { self: highest(self), inclusive: highest(inclusive) };
}
