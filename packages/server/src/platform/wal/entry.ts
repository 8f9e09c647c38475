import { currentDivision, ENCODINGS, WAL_SIGNALS, type WalEntry } from '@fanion/telemetry';

const VERSION = 1;
const FIXED_BYTES = 34;

/**
 * The header of an entry; the payload is this followed by the body, which is not copied.
 * @param division how its segment is divided into blocks; see `blockLimitsOf`
 */
export function encodeEntryHeader(entry: WalEntry, division: number): Buffer {
  const environment = Buffer.from(entry.environment);
  const header = Buffer.allocUnsafe(FIXED_BYTES + entry.refused.length * 4 + environment.length);
  header[0] = VERSION;
  header[1] = WAL_SIGNALS.indexOf(entry.signal);
  header[2] = ENCODINGS.indexOf(entry.encoding);
  header[3] = division;
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

/** How the segment of an entry is divided into blocks; see `blockLimitsOf`. */
export function divisionOf(payload: Buffer): number {
  return payload[3] ?? currentDivision;
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
