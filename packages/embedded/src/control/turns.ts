/** Decides which client uses the single backend next. Clients are compared by identity. */
export interface Turns<Client> {
  /** Runs `action` when it is the client's turn. While a client holds the backend, only its own turns run. */
  take(client: Client, action: () => Promise<void>): Promise<void>;
  /** Runs `action` while no client holds the backend. */
  alone<Result>(action: () => Promise<Result>): Promise<Result>;
  /** Drops the client's waiting turns, and runs `cleanUp` if it holds the backend. */
  leave(client: Client, cleanUp: () => Promise<void>): Promise<void>;
  /** The client that holds the backend while others wait, and since when (by `now()`). */
  blocker(): { client: Client; since: number } | undefined;
}

interface Waiting<Client> {
  client: Client | undefined;
  run: () => Promise<void>;
  drop: (reason: Error) => void;
}

/**
 * First come, first served. A client in a transaction keeps the backend until the transaction has ended.
 * @param isBusy whether the backend is busy, checked after each turn
 */
export function takingTurns<Client extends object>(isBusy: () => boolean, now: () => number): Turns<Client> {
  const queue: Waiting<Client>[] = [];
  let holder: Client | undefined;
  let heldSince = 0;
  let running = false;

  async function work(): Promise<void> {
    if (running) return;
    running = true;
    for (let next = pick(); next; next = pick()) {
      await next.run();
      holder = isBusy() ? next.client : undefined;
      heldSince = now();
    }
    running = false;
  }

  function pick(): Waiting<Client> | undefined {
    const at = holder === undefined ? 0 : queue.findIndex((waiting) => waiting.client === holder);
    return at < 0 ? undefined : queue.splice(at, 1)[0];
  }

  function enqueue<Result>(client: Client | undefined, action: () => Promise<Result>, first = false): Promise<Result> {
    return new Promise((resolve, reject) => {
      const run = () => action().then(resolve, reject);
      const waiting = { client, run, drop: reject };
      if (first) queue.unshift(waiting);
      else queue.push(waiting);
      void work();
    });
  }

  return {
    take: (client, action) => enqueue(client, action),
    alone: (action) => enqueue(undefined, action),
    async leave(client, cleanUp) {
      for (let at = queue.length - 1; at >= 0; at--) {
        if (queue[at]?.client === client) queue.splice(at, 1)[0]?.drop(new Error('the client has gone'));
      }
      // A running turn may leave the client holding the backend, so this runs after it.
      await enqueue(client, async () => cleanUp(), true);
    },
    blocker: () =>
      holder !== undefined && !running && queue.length > 0 ? { client: holder, since: heldSince } : undefined,
  };
}
