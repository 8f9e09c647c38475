import { type BodyFormat, type ConvertLimits, type Source, toOtlp } from './convert/index.ts';
import { type Written, writtenOf } from './convert/tally.ts';
import { type ScanLimits, type ScanOutcome, scan } from './scan/index.ts';

export type { BodyFormat, Source } from './convert/index.ts';

export type PrepareLimits = ScanLimits & ConvertLimits;

export interface Prepared {
  /** Protobuf, whatever came. */
  body: Buffer;
  outcome: ScanOutcome;
  /** For protocols whose answer reports more than a number. */
  written?: Written | undefined;
}

/**
 * Judges an inflated body and brings it into the form of the log.
 * @throws {WireError | JsonError} when its structure is broken: 400 for the whole body.
 * @throws {TooLarge} 413 for the whole body.
 */
export function prepare(source: Source, limits: PrepareLimits): Prepared {
  const { body, tally } = toOtlp(source, limits);
  const outcome = scan(source.signal, body, limits);
  return { body, outcome, written: tally && writtenOf(tally, outcome.refused) };
}

/** From here on preparing takes longer than the event loop of the server should wait, and is left to the worker. */
const INLINE_BYTES: Record<BodyFormat, number> = {
  protobuf: 4 * 1024 * 1024,
  json: 512 * 1024,
  pprof: 256 * 1024,
  // Snappy packs series to a quarter and less.
  'prometheus-1': 128 * 1024,
  'prometheus-2': 128 * 1024,
  'loki-json': 512 * 1024,
  'loki-protobuf': 256 * 1024,
  zipkin: 512 * 1024,
};
/** The dictionary of profiles is read as a whole. */
const INLINE_PROFILE_BYTES = 512 * 1024;

export function isLong({ signal, format, body }: Source): boolean {
  return body.length > Math.min(INLINE_BYTES[format], signal === 'profiles' ? INLINE_PROFILE_BYTES : Infinity);
}
