/** The telemetry signals that are sent to us. */
export const SIGNALS = ['traces', 'logs', 'metrics', 'profiles'] as const;
export type Signal = (typeof SIGNALS)[number];
/** What has a log of its own: the signals, and what the server counts of its own answers. */
export const WAL_SIGNALS = [...SIGNALS, 'evaluations'] as const;
export type WalSignal = (typeof WAL_SIGNALS)[number];

/**
 * How the body of an entry is written. The log keeps the number of each, so new ones come at the end. Remote write is in
 * Snappy, as it was sent, and holds only samples.
 */
export const ENCODINGS = ['otlp-protobuf', 'evaluations-json', 'remote-write-1', 'remote-write-2'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/**
 * One acknowledged request. All that shapes the rows is in here, so that a replay at any later time, with any
 * configuration, makes the same rows.
 */
export interface WalEntry {
  signal: WalSignal;
  encoding: Encoding;
  /** Never-reused integers that stand for the UUIDs of the API. */
  workspace: number;
  project: number;
  /** The environment of the token, for items whose resource names none. */
  environment: string;
  /** Retention class, in days. */
  retentionDays: number;
  /** Unix milliseconds. */
  receivedAt: number;
  /** Items (spans, log records, data points) in the body, refused ones included. */
  items: number;
  /** Positions of the items that were refused, ascending, counted over the whole body in wire order. */
  refused: Uint32Array;
  /** Inflated, unless the encoding says otherwise. */
  body: Buffer;
}
