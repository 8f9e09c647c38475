/** Where a store's child process stands, as its supervisor sees it. */
export type StoreStatus = 'starting' | 'up' | 'restarting' | 'stopped';

/** A default store running as a supervised child process. It keeps its address across restarts. */
export interface EmbeddedStore {
  /** Where clients connect; stays the same across restarts. */
  readonly url: string;
  /** The child that serves right now, or undefined between two of them. */
  readonly pid: () => number | undefined;
  status(): StoreStatus;
  /** How often the child had to be started again since the store was started. */
  restarts(): number;
  /** Calls `listener` on each change of status; returns the function that ends this. */
  onStatus(listener: (status: StoreStatus) => void): () => void;
  /** Ends the child gracefully, by force if it does not end by itself. */
  stop(): Promise<void>;
}

/** The part of a logger that the stores need; pino's logger is one. */
export interface StoreLog {
  info(o: object, msg: string): void;
  warn(o: object, msg: string): void;
  error(o: object, msg: string): void;
}

/** How a supervisor finds out that a child is stuck. Times in milliseconds. */
export interface Watchdog {
  /** Pause between the answer to one ping and the next ping. */
  everyMs: number;
  /** A child that has not answered a ping for so long is killed and started again. */
  timeoutMs: number;
}
