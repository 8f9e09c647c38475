import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** All processes with their parents, and the processor time that each has used (Linux). */
export function processes() {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      const ticks = Number(fields[11]) + Number(fields[12]);
      return [{ pid: Number(name), parent: Number(fields[1]), seconds: ticks / ticksPerSecond }];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

/** Seconds of processor time of the processes that this one has started. */
export function childrenCpu(): number {
  return processes().reduce((sum, { parent, seconds }) => (parent === process.pid ? sum + seconds : sum), 0);
}
