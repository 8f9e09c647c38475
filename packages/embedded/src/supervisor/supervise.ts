import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { ownIdentity } from '../process-identity.ts';
import type { StoreLog, StoreStatus, Watchdog } from '../store.ts';
import { backoffMs, HEALTHY_AFTER_MS } from './backoff.ts';
import { type CallChild, callingChild } from './calling.ts';
import type { Calls, FromChild, ToChild } from './messages.ts';

export interface ChildSpec<Config, Ready> {
  /** For the log. */
  name: string;
  /** The child's compiled entry. */
  entry: string;
  /** Created for each start, from the report of the previous child when it was ready. */
  config: (previous: Ready | undefined) => Config;
  environment?: Record<string, string>;
  /** Options of Node. */
  execArgv?: string[];
  /** A child that is not ready after this time is killed. */
  startTimeoutMs: number;
  /** A child that does not end within this time after a stop is killed. */
  stopTimeoutMs: number;
  watchdog: Watchdog;
  log: StoreLog;
}

export interface Supervised<Ready, Offered extends Calls> {
  /** The child's report when it was first ready. */
  ready: Ready;
  pid(): number | undefined;
  status(): StoreStatus;
  restarts(): number;
  onStatus(listener: (status: StoreStatus) => void): () => void;
  /**
   * Call when an obstacle (such as a full disk) is gone: starts a child that waits for its restart, and kills one that
   * does not answer within this many milliseconds.
   */
  prod(withinMs: number): void;
  /** Calls a function of the running child. Rejects if it dies first, or is being restarted. */
  readonly call: CallChild<Offered>;
  stop(): Promise<void>;
}

/**
 * Starts a child process and keeps it running: a child that dies is restarted, and one that no longer answers is killed
 * first.
 * @returns once the child is ready.
 * @throws when the very first start fails, with the child's own reason.
 */
export async function supervise<Config, Ready, Offered extends Calls>(
  spec: ChildSpec<Config, Ready>,
): Promise<Supervised<Ready, Offered>> {
  const { log, name } = spec;
  const listeners = new Set<(status: StoreStatus) => void>();
  let status: StoreStatus = 'starting';
  let current: RunningChild<Ready> | undefined;
  let restarts = 0;
  let failures = 0;
  let pause: NodeJS.Timeout | undefined;
  let previous: Ready | undefined;
  let startAgain: (() => void) | undefined;

  const change = (next: StoreStatus) => {
    if (next === status) return;
    status = next;
    for (const listener of listeners) listener(next);
  };

  const launch = async (): Promise<Ready> => {
    const child = startChild(spec, previous);
    current = child;
    const upSince = { at: 0 };
    void child.exited.then((how) => {
      if (current === child) current = undefined;
      if (status === 'stopped' || previous === undefined) return;
      failures = upSince.at > 0 && Date.now() - upSince.at > HEALTHY_AFTER_MS ? 1 : failures + 1;
      const waitMs = backoffMs(failures);
      log.error({ store: name, ...how, waitMs }, 'the store has died and is started again');
      change('restarting');
      startAgain = () => {
        startAgain = undefined;
        clearTimeout(pause);
        restarts++;
        // A failed start ends its child, so `exited` is called again.
        launch().catch((error) => {
          if (status !== 'stopped') log.error({ store: name, error: String(error) }, 'the store did not start');
        });
      };
      pause = setTimeout(startAgain, waitMs);
    });
    const ready = await child.ready;
    upSince.at = Date.now();
    previous = ready;
    change('up');
    return ready;
  };

  const ready = await launch();
  return {
    ready,
    pid: () => current?.process.pid,
    status: () => status,
    restarts: () => restarts,
    onStatus(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    prod(withinMs) {
      failures = 0;
      if (startAgain !== undefined) startAgain();
      else if (status === 'up') current?.prod(withinMs);
    },
    call: (name, ...args) =>
      status === 'up' && current !== undefined
        ? callingChild<Offered>(current.process)(name, ...args)
        : Promise.reject(new Error(`the ${spec.name} store is being restarted`)),
    async stop() {
      startAgain = undefined;
      clearTimeout(pause);
      change('stopped');
      await current?.stop();
    },
  };
}

interface RunningChild<Ready> {
  process: ChildProcess;
  ready: Promise<Ready>;
  exited: Promise<Exit>;
  prod(withinMs: number): void;
  stop(): Promise<void>;
}

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

function startChild<Config, Ready>(spec: ChildSpec<Config, Ready>, previous: Ready | undefined): RunningChild<Ready> {
  const { log, name } = spec;
  const child = fork(spec.entry, [], {
    // Not the parent's flags, which may be a test runner's or a debugger's.
    execArgv: spec.execArgv ?? [],
    env: { ...process.env, ...spec.environment },
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    serialization: 'json',
  });
  child.stdin?.on('error', () => {}); // the child has died, which `exit` tells

  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    // A process that could not be created emits no exit.
    child.once('error', () => {
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
  });
  const ready = readyOf(child, exited, spec);
  let watching: { prod(withinMs: number): void } | undefined;
  void ready.then(
    () => {
      const onStuck = () => log.error({ store: name, pid: child.pid }, 'the store is stuck: killed');
      watching = watch(child, spec.watchdog, onStuck);
    },
    () => child.kill('SIGKILL'),
  );
  const start: ToChild<Config> = { type: 'start', config: spec.config(previous), parent: ownIdentity() };
  if (child.connected) child.send(start, () => {});

  return {
    process: child,
    ready,
    exited,
    prod: (withinMs) => watching?.prod(withinMs),
    async stop() {
      child.stdin?.end();
      const force = setTimeout(() => child.kill('SIGKILL'), spec.stopTimeoutMs);
      await exited;
      clearTimeout(force);
    },
  };
}

/** Rejects with the reason if the child fails, ends or takes too long. */
function readyOf<Config, Ready>(
  child: ChildProcess,
  exited: Promise<Exit>,
  { log, name, startTimeoutMs }: ChildSpec<Config, Ready>,
): Promise<Ready> {
  const lastLines = loggedOutput(child, log, name);
  return new Promise<Ready>((resolve, reject) => {
    const slow = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the ${name} store was not ready after ${startTimeoutMs} ms`));
    }, startTimeoutMs);
    child.on('message', (message: FromChild<Ready>) => {
      if (message.type === 'log') log[message.level]({ store: name, ...message.fields }, message.message);
      if (message.type === 'ready') resolve(message.ready);
      if (message.type === 'failed') reject(new Error(message.reason));
      if (message.type === 'ready' || message.type === 'failed') clearTimeout(slow);
    });
    child.once('error', (error) => {
      clearTimeout(slow);
      reject(error);
    });
    void exited.then(({ code, signal }) => {
      clearTimeout(slow);
      const words = lastLines.length === 0 ? '' : `: ${lastLines.join(' | ')}`;
      reject(new Error(`the ${name} store ended with ${signal ?? code} before it was ready${words}`));
    });
  });
}

/** Logs what the engine prints. @returns its last lines, since they explain a crash */
function loggedOutput(child: ChildProcess, log: StoreLog, store: string): readonly string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    eachLine(stream, (line) => {
      lines.push(line);
      if (lines.length > 10) lines.shift();
      log.warn({ store, pid: child.pid }, line.slice(0, 2_000));
    });
  }
  return lines;
}

/** Pings the child while it runs, and kills it when an answer is missing. */
function watch(
  child: ChildProcess,
  { everyMs, timeoutMs }: Watchdog,
  onStuck: () => void,
): { prod(withinMs: number): void } {
  let id = 0;
  let timer: NodeJS.Timeout | undefined;
  const ping = (withinMs: number) => {
    if (!child.connected) return;
    clearTimeout(timer);
    id++;
    child.send({ type: 'ping', id }, () => {});
    timer = setTimeout(() => {
      onStuck();
      child.kill('SIGKILL');
    }, withinMs).unref();
  };
  child.on('message', (message: FromChild<unknown>) => {
    if (message.type !== 'pong' || message.id !== id) return;
    clearTimeout(timer);
    timer = setTimeout(ping, everyMs, timeoutMs).unref();
  });
  child.once('exit', () => clearTimeout(timer));
  ping(timeoutMs);
  return { prod: ping };
}

function eachLine(stream: Readable, onLine: (line: string) => void): void {
  createInterface({ input: stream }).on('line', (line) => {
    if (line.trim() !== '') onLine(line);
  });
}
