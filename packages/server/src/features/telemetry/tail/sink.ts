import type { Failure } from '../../../platform/fail.ts';

/** What a tail writes to: a connection in the format of its protocol. */
export interface TailSink<Row> {
  /** Calls back once when the connection has ended. */
  readonly whenGone: (then: () => void) => void;
  readonly isGone: () => boolean;
  readonly begin: (startNs: bigint) => void;
  /** New rows of a poll, the oldest first. Returns whether anything was sent. */
  readonly rows: (rows: readonly { readonly timeNs: bigint; readonly row: Row }[]) => boolean | Promise<boolean>;
  /** Rows that were not sent, since too many matched in one poll. */
  readonly dropped: (range: { readonly fromNs: bigint; readonly toNs: bigint }, count: number) => void;
  readonly heartbeat: () => void;
  /** Ends the connection; undefined: the tail has lasted as long as it should. */
  readonly end: (failure: Failure | undefined) => void;
  /** Ends the connection since the server stops. */
  readonly stop: () => void;
}
