/** The state of a store's child process. */
export type StoreStatus = 'starting' | 'up' | 'restarting' | 'stopped';

/** An embedded store in a supervised child process. It keeps its address across restarts. */
export interface EmbeddedStore {
  /** Address for clients; stays the same across restarts. */
  readonly url: string;
  /** Pid of the current child, or undefined between two of them. */
  readonly pid: () => number | undefined;
  status(): StoreStatus;
  /** How often the child was restarted since the store was started. */
  restarts(): number;
  /** Calls `listener` on each change of status; returns a function that removes it. */
  onStatus(listener: (status: StoreStatus) => void): () => void;
  /** Ends the child gracefully, or by force if it does not end by itself. */
  stop(): Promise<void>;
}

/** The part of a logger that the stores need; pino's logger is one. */
export interface StoreLog {
  info(o: object, msg: string): void;
  warn(o: object, msg: string): void;
  error(o: object, msg: string): void;
}

/** How a supervisor detects that a child is stuck. Times in milliseconds. */
export interface Watchdog {
  /** Pause between the answer to one ping and the next ping. */
  everyMs: number;
  /** A child that does not answer a ping within this time is killed and restarted. */
  timeoutMs: number;
}
