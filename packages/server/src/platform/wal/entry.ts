/** The telemetry signals that are sent to us. */
export const SIGNALS = ['traces', 'logs', 'metrics', 'profiles'] as const;
export type Signal = (typeof SIGNALS)[number];
/** What has a log of its own: the signals, and what the server counts of its own answers. */
export const WAL_SIGNALS = [...SIGNALS, 'evaluations'] as const;
export type WalSignal = (typeof WAL_SIGNALS)[number];

/** How the body of an entry is written. Doors of other protocols add their own. */
const ENCODINGS = ['otlp-protobuf', 'evaluations-json'] as const;
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
  /** Inflated. */
  body: Buffer;
}

const VERSION = 1;
const FIXED_BYTES = 34;

/** The header of an entry; the payload is this followed by the body, which is not copied. */
export function encodeEntryHeader(entry: WalEntry): Buffer {
  const environment = Buffer.from(entry.environment);
  const header = Buffer.allocUnsafe(FIXED_BYTES + entry.refused.length * 4 + environment.length);
  header[0] = VERSION;
  header[1] = WAL_SIGNALS.indexOf(entry.signal);
  header[2] = ENCODINGS.indexOf(entry.encoding);
  header[3] = 0;
  header.writeUInt32LE(entry.workspace, 4);
  header.writeUInt32LE(entry.project, 8);
  header.writeUInt16LE(entry.retentionDays, 12);
  header.writeDoubleLE(entry.receivedAt, 14);
  header.writeUInt32LE(entry.items, 22);
  header.writeUInt32LE(entry.refused.length, 26);
  header.writeUInt32LE(environment.length, 30);
  let at = FIXED_BYTES;
  for (const index of entry.refused) at = header.writeUInt32LE(index, at);
  environment.copy(header, at);
  return header;
}

/** @throws {Error} when the payload is of another version or too short; its checksum has been verified before. */
export function decodeEntry(payload: Buffer): WalEntry {
  if (payload[0] !== VERSION) throw new Error(`write-ahead log entry of unknown version ${payload[0]}`);
  const signal = WAL_SIGNALS[payload[1] ?? -1];
  const encoding = ENCODINGS[payload[2] ?? -1];
  if (signal === undefined || encoding === undefined) throw new Error('write-ahead log entry of unknown kind');
  const refused = new Uint32Array(payload.readUInt32LE(26));
  for (let i = 0; i < refused.length; i++) refused[i] = payload.readUInt32LE(FIXED_BYTES + i * 4);
  const environmentAt = FIXED_BYTES + refused.length * 4;
  const bodyAt = environmentAt + payload.readUInt32LE(30);
  if (bodyAt > payload.length) throw new Error('write-ahead log entry is shorter than its header says');
  return {
    signal,
    encoding,
    workspace: payload.readUInt32LE(4),
    project: payload.readUInt32LE(8),
    retentionDays: payload.readUInt16LE(12),
    receivedAt: payload.readDoubleLE(14),
    items: payload.readUInt32LE(22),
    refused,
    environment: payload.toString('utf8', environmentAt, bodyAt),
    body: payload.subarray(bodyAt),
  };
}
