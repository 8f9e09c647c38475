import type { Signal } from '../../platform/wal/index.ts';
import { jsonToProtobuf } from './json/to-protobuf.ts';
import { type ScanLimits, type ScanOutcome, scan } from './scan/index.ts';

/** How the body of a request is written. */
export type BodyFormat = 'protobuf' | 'json';

export interface Prepared {
  /** Protobuf, whatever came. */
  body: Buffer;
  outcome: ScanOutcome;
}

/**
 * Judges an inflated body and brings it into the form of the log.
 * @throws {WireError | JsonError} when its structure is broken: 400 for the whole body.
 * @throws {TooLarge} 413 for the whole body.
 */
export function prepare(signal: Signal, format: BodyFormat, body: Buffer, limits: ScanLimits): Prepared {
  const protobuf = format === 'json' ? jsonToProtobuf(signal, body) : body;
  return { body: protobuf, outcome: scan(signal, protobuf, limits) };
}

/** From here on preparing takes longer than the event loop of the server should wait, and is left to the worker. */
const INLINE_BYTES: Record<BodyFormat, number> = { json: 512 * 1024, protobuf: 4 * 1024 * 1024 };

export function isLong(format: BodyFormat, body: Buffer): boolean {
  return body.length > INLINE_BYTES[format];
}
