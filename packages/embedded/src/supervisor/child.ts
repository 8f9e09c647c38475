import type { ProcessIdentity } from '../process-identity.ts';
import type { StoreLog } from '../store.ts';
import type { Calls, FromChild, ToChild } from './messages.ts';

/** What a store's child process passes to `runChild`. */
export interface ChildStore<Ready> {
  ready: Ready;
  /** Resolves if the store works; the watchdog kills the process when this takes too long. */
  check(): Promise<void>;
  /** Functions for the supervisor. */
  readonly calls: Calls;
  /** Ends the store gracefully. */
  close(): Promise<void>;
}

/** A graceful end must not take longer, since nobody is left to end the process by force. */
const CLOSE_DEADLINE_MS = 8_000;

/**
 * Runs a store's child process: gets its configuration from the supervisor, reports when it is ready, answers the
 * watchdog, and ends when its stdin closes, which also happens when the parent is killed. SIGINT, SIGTERM and SIGHUP
 * are left to the parent, which flushes first.
 */
export function runChild<Config, Ready>(
  open: (config: Config, parent: ProcessIdentity, log: StoreLog) => Promise<ChildStore<Ready>>,
): void {
  process.on('SIGINT', ignore);
  process.on('SIGTERM', ignore);
  process.on('SIGHUP', ignore);

  let store: ChildStore<Ready> | undefined;
  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    setTimeout(leave, CLOSE_DEADLINE_MS);
    (store?.close() ?? Promise.resolve()).then(leave, leave);
  };
  process.stdin.on('end', end).on('error', end).resume();
  process.on('disconnect', end);

  process.on('message', (message: ToChild<Config>) => {
    if (message.type === 'ping') {
      const { id } = message;
      store?.check().then(
        () => send({ type: 'pong', id }),
        (error) => childLog.error({ error: textOf(error) }, 'the store fails its health check'),
      );
      return;
    }
    if (message.type === 'call') {
      void answerOf(store?.calls, message).then(send);
      return;
    }
    open(message.config, message.parent, childLog).then(
      (opened) => {
        store = opened;
        send({ type: 'ready', ready: opened.ready });
      },
      (error) => {
        send({ type: 'failed', reason: textOf(error) });
        leave();
      },
    );
  });
}

function send<Ready>(message: FromChild<Ready>): void {
  // The callback handles the error of a channel whose other end was just killed.
  if (process.connected) process.send?.(message, undefined, undefined, ignore);
}

const childLog: StoreLog = {
  info: (fields, message) => send({ type: 'log', level: 'info', fields, message }),
  warn: (fields, message) => send({ type: 'log', level: 'warn', fields, message }),
  error: (fields, message) => send({ type: 'log', level: 'error', fields, message }),
};

async function answerOf(
  calls: Calls | undefined,
  { id, name, args }: Extract<ToChild<never>, { type: 'call' }>,
): Promise<FromChild<never>> {
  // The supervisor calls only what the store's type offers.
  const called = calls?.[name] as ((...args: readonly unknown[]) => Promise<unknown>) | undefined;
  if (called === undefined) return { type: 'called', id, error: `the store cannot ${name}` };
  try {
    return { type: 'called', id, result: await called(...args) };
  } catch (error) {
    return { type: 'called', id, error: textOf(error) };
  }
}

/**
 * Ends a store's child process at once. Not process.exit: it runs the destructors of the engines' libraries while their
 * threads still work, which can hang. What was acknowledged is on disk by now.
 */
export function leave(): void {
  setImmediate(() => process.kill(process.pid, 'SIGKILL'));
}

function ignore(): void {
  // deliberately empty
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
