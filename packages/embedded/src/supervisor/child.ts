import type { ProcessIdentity } from '../process-identity.ts';
import type { StoreLog } from '../store.ts';
import type { FromChild, ToChild } from './messages.ts';

/** What a store's child process gives to `runChild`. */
export interface ChildStore<Ready> {
  ready: Ready;
  /** Answers when the store is able to work; a watchdog kills the process when this takes too long. */
  check(): Promise<void>;
  /** Ends the store in order. */
  close(): Promise<void>;
}

/** An orderly end must not take longer, as nobody is left to end the process by force. */
const CLOSE_DEADLINE_MS = 8_000;

/**
 * The frame of a store's child process: takes its configuration from the supervisor, reports when it is
 * ready, answers the watchdog, and ends when its stdin closes, which is also what happens when the parent
 * is killed. SIGINT, SIGTERM and SIGHUP are left to the parent, which flushes first.
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

  function send(message: FromChild<Ready>): void {
    // The callback takes the error of a channel whose other end has just been killed.
    if (process.connected) process.send?.(message, undefined, undefined, ignore);
  }

  const childLog: StoreLog = {
    info: (fields, message) => send({ type: 'log', level: 'info', fields, message }),
    warn: (fields, message) => send({ type: 'log', level: 'warn', fields, message }),
    error: (fields, message) => send({ type: 'log', level: 'error', fields, message }),
  };
}

// Not process.exit: it runs the destructors of the engines' libraries while their threads still work,
// which was seen to hang. All that matters is on disk by now.
function leave(): void {
  setImmediate(() => process.kill(process.pid, 'SIGKILL'));
}

function ignore(): void {
  // deliberately nothing
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
