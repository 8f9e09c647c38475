/** The telemetry signals that clients send. */
export const SIGNALS = ['traces', 'logs', 'metrics', 'profiles'] as const;
export type Signal = (typeof SIGNALS)[number];
/** Kinds of data with their own log: the signals, and the server's evaluation counts. */
export const WAL_SIGNALS = [...SIGNALS, 'evaluations'] as const;
export type WalSignal = (typeof WAL_SIGNALS)[number];

/**
 * How the body of an entry is written. The log keeps the number of each, so new ones come at the end. Remote write is in
 * Snappy, as it was sent, and holds only samples.
 */
export const ENCODINGS = ['otlp-protobuf', 'evaluations-json', 'remote-write-1', 'remote-write-2'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/**
 * One acknowledged request. It contains everything that determines the rows, so that a replay at any later time, with
 * any configuration, gives the same rows.
 */
export interface WalEntry {
  signal: WalSignal;
  encoding: Encoding;
  /** Integers, never reused, in place of the API's UUIDs. */
  workspace: number;
  project: number;
  /** The environment of the token, for items whose resource does not name one. */
  environment: string;
  /** Retention class, in days. */
  retentionDays: number;
  /** Unix milliseconds. */
  receivedAt: number;
  /** Items (spans, log records, data points) in the body, including rejected ones. */
  items: number;
  /** Positions of rejected items, ascending, counted over the whole body in wire order. */
  refused: Uint32Array;
  /** Inflated, unless the encoding says otherwise. */
  body: Buffer;
}
