import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Identifies a process even if its pid is reused later. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, in the kernel's notation; only for comparisons. */
  started: string;
  /** Changes with each boot of the machine. */
  boot: string;
}

/** Identity of a live process; undefined if there is none with that pid (a zombie counts as dead). */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedElsewhere(pid);
  return started === undefined ? undefined : { pid, started, boot: bootId() };
}

/** Whether this process still runs, as opposed to another one with its pid. */
export function isAlive(identity: ProcessIdentity): boolean {
  const now = identifyProcess(identity.pid);
  return now !== undefined && now.started === identity.started && now.boot === identity.boot;
}

export function ownIdentity(): ProcessIdentity {
  const identity = identifyProcess(process.pid);
  if (!identity) throw new Error(`cannot identify the own process ${process.pid}`);
  return identity;
}

// proc(5): the second field is the command in parentheses and may contain spaces and parentheses, so fields are counted
// after the last one; state is the 3rd, start time the 22nd.
function startedOnLinux(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined; // no such process
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

function startedElsewhere(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return line === '' || line.startsWith('Z') ? undefined : line.slice(line.indexOf(' ')).trim();
  } catch {
    return undefined; // ps ends with 1 when there is no such process
  }
}

let knownBootId: string | undefined;

function bootId(): string {
  knownBootId ??=
    process.platform === 'linux'
      ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
      : execFileSync('sysctl', ['-n', 'kern.boottime'], { encoding: 'utf8' }).trim();
  return knownBootId;
}
