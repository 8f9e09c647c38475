import { execFileSync } from 'node:child_process';
import { fstatSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';

const POLL_MS = 500;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const SHELLS = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'fish', 'busybox']);

/**
 * Sends this process SIGHUP, at which the server stops without draining, when its parent exits. npm forwards SIGTERM to its shell, and the shell exits without
 * signaling its children, so the server and its stores would keep running. Does nothing for three kinds of processes that
 * are meant to outlive their parent: children of init, session leaders (`setsid`, systemd, `detached`), and background
 * jobs of a script.
 */
export function endWithParent(): void {
  const parent = process.ppid;
  if (parent <= 1 || isSessionLeader()) return;
  const { command, parent: grandparent } = describe(parent);
  const isShell = SHELLS.has(command);
  const isOfNpm = process.env.npm_lifecycle_event !== undefined;
  if (isShell && !isOfNpm && isStdinNull()) return;
  // The shell of `npm start` waits for this process, and keeps running when npm is killed.
  const npm = isShell && isOfNpm && grandparent > 1 ? grandparent : undefined;
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === undefined || isRunning(npm))) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGHUP');
  }, POLL_MS);
  timer.unref();
  // A signal to the process group has reached it already. A second one would interrupt its orderly shutdown.
  const handled = new Set<string | symbol>();
  process.on('newListener', (event) => {
    if (!SIGNALS.some((signal) => signal === event) || handled.has(event)) return;
    handled.add(event);
    process.once(event, () => clearInterval(timer));
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie still accepts signals.
    return process.platform !== 'linux' || statOf(pid)[0] !== 'Z';
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** proc(5), from the third field on. The second is the command, which may contain spaces and brackets. */
function statOf(pid: number | 'self'): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function describe(pid: number): { command: string; parent: number } {
  try {
    if (process.platform === 'linux') {
      const command = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
      return { command, parent: Number(statOf(pid)[1]) };
    }
    if (process.platform === 'win32') return { command: '', parent: 0 };
    const line = execFileSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const [, parent = '0', path = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    return { command: basename(path).replace(/^-/, ''), parent: Number(parent) };
  } catch {
    return { command: '', parent: 0 }; // exited already; the first check of `ppid` notices
  }
}

/** Only Linux exposes this without a native module. */
function isSessionLeader(): boolean {
  return process.platform === 'linux' && Number(statOf('self')[3]) === process.pid;
}

/** A shell without job control gives `command &` an empty standard input. */
function isStdinNull(): boolean {
  try {
    const stdin = fstatSync(0);
    return stdin.isCharacterDevice() && stdin.rdev === statSync('/dev/null').rdev;
  } catch {
    return true; // closed
  }
}
