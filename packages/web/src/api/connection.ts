/** Whether the server answers, as the page's last requests show. */
export type Connection =
  | { readonly state: 'up' }
  | {
      readonly state: 'down';
      /** The first request without a response, in milliseconds since 1970. */
      readonly since: number;
      /** The last response before that; 0 if there was none. */
      readonly lastAnswer: number;
      /** The next attempt to reach the server; absent while one runs. */
      readonly retryAt?: number;
    };

export interface ConnectionWatch {
  /** For `useSyncExternalStore`. */
  subscribe(listener: () => void): () => void;
  current(): Connection;
  /** A response arrived, whatever its status. */
  answered(): void;
  /** A request got no response, or a stream broke off. */
  failed(): void;
  /** Tries to reach the server at once. */
  retry(): void;
}

interface Surroundings {
  readonly now: () => number;
  /** Resolves to whether the server answers. */
  readonly probe: () => Promise<boolean>;
  /** Calls back after a time in milliseconds; the returned function cancels. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 15_000;

/**
 * One state for the whole application, so that each page need not find out for itself. While the server does not answer, it is
 * probed after 1, 2, 4, 8 and then every 15 seconds, whether or not a page asks for something.
 */
export function watchConnection({ now, probe, after }: Surroundings): ConnectionWatch {
  const listeners = new Set<() => void>();
  let connection: Connection = { state: 'up' };
  let lastAnswer = 0;
  let delay = FIRST_RETRY_MS;
  let cancel = () => {};

  function become(next: Connection): void {
    connection = next;
    for (const listener of listeners) listener();
  }

  function schedule(since: number): void {
    cancel();
    become({ state: 'down', since, lastAnswer, retryAt: now() + delay });
    cancel = after(delay, tryNow);
    delay = Math.min(delay * 2, LONGEST_RETRY_MS);
  }

  function tryNow(): void {
    cancel();
    if (connection.state === 'up') return;
    const { since } = connection;
    become({ state: 'down', since, lastAnswer });
    void probe().then((isUp) => {
      // Another request may have been answered meanwhile.
      if (connection.state === 'up') return;
      if (isUp) answered();
      else schedule(since);
    });
  }

  function answered(): void {
    lastAnswer = now();
    if (connection.state === 'up') return;
    cancel();
    delay = FIRST_RETRY_MS;
    become({ state: 'up' });
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    current: () => connection,
    answered,
    failed() {
      if (connection.state === 'up') schedule(now());
    },
    retry: tryNow,
  };
}

/** How long a probe may take. */
const PROBE_MS = 5_000;

export const connection = watchConnection({
  now: Date.now,
  probe: () =>
    fetch('/healthz', { signal: AbortSignal.timeout(PROBE_MS), cache: 'no-store' }).then(
      // A server that stops or starts answers 503: it is there, but pages get nothing from it.
      (response) => response.ok,
      () => false,
    ),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
});
