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
export function memoryOf(root: number): number {
  let kib = 0;
  for (const pid of processesOf(root)) {
    try {
      kib += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // It has ended.
    }
  }
  return kib / 1024;
}

/** Looks at the memory four times a second; `stop` returns the most that was seen. */
export function watchMemory(root: number): { stop(): number } {
  let peak = 0;
  const look = () => {
    peak = Math.max(peak, memoryOf(root));
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
