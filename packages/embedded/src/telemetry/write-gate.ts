/** Lets writes through, or holds them back for a while, so that the tables stand still. */
export interface WriteGate {
  /** Runs a write as soon as none are held back. */
  run<Result>(write: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /**
   * Holds back new writes, for `forMs` at most whatever happens, and resolves when those that run have ended.
   * @throws Error if they do not end in this time, or if writes are held already
   */
  hold(forMs: number): Promise<void>;
  /**
   * Lets writes through again.
   * @throws Error if the time of the hold had passed before, so that writes may have run
   */
  release(): void;
}

interface Hold {
  readonly opened: Promise<void>;
  open(): void;
}

/** @param afterWrite called with the time at which a write began, before its result is given */
export function openWriteGate(afterWrite: (beganAt: number) => Promise<void> = async () => {}): WriteGate {
  const running = new Set<Promise<unknown>>();
  let hold: Hold | undefined;

  const end = (ended: Hold) => {
    if (hold !== ended) return;
    hold = undefined;
    ended.open();
  };

  return {
    async run(write, signal) {
      while (hold !== undefined) await orAborted(hold.opened, signal);
      signal?.throwIfAborted();
      const written = thenVerified(write, afterWrite);
      const settled = written.then(ignore, ignore).finally(() => running.delete(settled));
      running.add(settled);
      return written;
    },
    async hold(forMs) {
      if (hold !== undefined) throw new Error('writes to the telemetry store are held back already');
      const begun = beginHold();
      hold = begun;
      setTimeout(() => end(begun), forMs).unref();
      await Promise.race([Promise.all(running), begun.opened]);
      if (hold !== begun)
        throw new Error(`a write to the telemetry store did not end within ${forMs / 1_000} s; it goes on`);
    },
    release() {
      if (hold === undefined) throw new Error('the telemetry store was held longer than it may be, and writes again');
      end(hold);
    },
  };
}

async function thenVerified<Result>(
  write: () => Promise<Result>,
  afterWrite: (beganAt: number) => Promise<void>,
): Promise<Result> {
  const beganAt = Date.now();
  const result = await write();
  await afterWrite(beganAt);
  return result;
}

function beginHold(): Hold {
  let open = ignore;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

function orAborted(opened: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return opened;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    void opened.then(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
  });
}

function ignore(): void {
  // The caller of the write gets its result.
}

/** Statements that leave the rows of all tables as they are. Any other waits at the gate. */
const LEAVES_ROWS = /^\s*(SELECT|WITH|DESCRIBE|DESC|SHOW|EXISTS|EXPLAIN|KILL|SET|USE|OPTIMIZE|SYSTEM|CHECK)\b/i;

export function isWrite(sql: string): boolean {
  return !LEAVES_ROWS.test(sql);
}
