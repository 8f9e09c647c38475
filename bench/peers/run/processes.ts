import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;
const SAMPLE_MS = 250;

/** A process and all that it started, from Linux' /proc. */
export function processesOf(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const fields = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (fields !== undefined) parents.set(Number(name), Number(fields[1]));
  }
  const isWithin = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === root || isWithin(parents.get(pid)));
  return [...parents.keys()].filter(isWithin);
}

/** The fields of /proc/PID/stat from the state on; undefined where the process has ended. */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(') ') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** Seconds of processor time, user and system, of a process, all that it started, and those of them that have ended. */
export function cpuOf(root: number): number {
  let ticks = 0;
  for (const pid of processesOf(root)) {
    // utime, stime, and the same of ended children that were waited for.
    for (const field of statOf(pid)?.slice(11, 15) ?? []) ticks += Number(field);
  }
  return ticks / TICKS_PER_SECOND;
}

/** MiB of memory: the sum of the proportional set sizes, so that what processes share counts once. */
export interface Memory {
  readonly whole: number;
  /** Without pages of files, which the system can drop and read again. */
  readonly own: number;
}

export function memoryOf(root: number): Memory {
  let [whole, files] = [0, 0];
  for (const pid of processesOf(root)) {
    try {
      const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
      whole += kib('Pss');
      files += kib('Pss_File');
    } catch {
      // It has ended.
    }
  }
  return { whole: whole / 1024, own: (whole - files) / 1024 };
}

/** Looks at the memory four times a second; `stop` returns the most that was seen of each figure. */
export function watchMemory(root: number): { stop(): Memory } {
  let peak: Memory = { whole: 0, own: 0 };
  const look = () => {
    const { whole, own } = memoryOf(root);
    peak = { whole: Math.max(peak.whole, whole), own: Math.max(peak.own, own) };
  };
  const timer = setInterval(look, SAMPLE_MS);
  return {
    stop() {
      clearInterval(timer);
      look();
      return peak;
    },
  };
}

/** The rows of the table. */
export function memoryFigures(peak: Memory, rest: Memory) {
  return {
    'memory, peak': peak.whole,
    'memory, at rest': rest.whole,
    'memory without files, peak': peak.own,
    'memory without files, at rest': rest.own,
  };
}
