import { type BodyFormat, type ConvertLimits, type Source, toOtlp } from './convert/index.ts';
import { type Tally, type Written, writtenOf } from './convert/tally.ts';
import type { Encoding } from './entry.ts';
import { scanSamples } from './remote-write/scan.ts';
import { unpackScratch } from './remote-write/scratch.ts';
import { type ScanLimits, type ScanOutcome, scan } from './scan/index.ts';

export type { BodyFormat, Source } from './convert/index.ts';

export type PrepareLimits = ScanLimits & ConvertLimits;

export interface Prepared {
  /** In the encoding of the log: protobuf of OTLP whatever came, except for plain samples. */
  body: Buffer;
  encoding: Encoding;
  outcome: ScanOutcome;
  /** For protocols whose answer reports more than a number. */
  written?: Written | undefined;
  /** What `written` counts, where these are not only samples. */
  tally?: Tally | undefined;
}

/** The same with further items refused. */
export function refuseMore(prepared: Prepared, outcome: ScanOutcome): Prepared {
  const { tally, written } = prepared;
  if (written === undefined) return { ...prepared, outcome };
  const samples = { ...written, samples: outcome.items - outcome.refused.length };
  return { ...prepared, outcome, written: tally === undefined ? samples : writtenOf(tally, outcome.refused) };
}

/**
 * Checks an inflated body and converts it to the form of the log.
 * @throws {WireError | JsonError} when its structure is broken: 400 for the whole body.
 * @throws {TooLarge} 413 for the whole body.
 */
export function prepare(source: Source, limits: PrepareLimits): Prepared {
  if (source.format === 'prometheus-1' || source.format === 'prometheus-2') {
    const samples = prepareSamples(source.body, source.format === 'prometheus-1' ? 1 : 2, limits);
    if (samples !== undefined) return samples;
  }
  const { body, tally, isUntimed } = toOtlp(source, limits);
  const outcome = scan(source.signal, body, limits);
  outcome.isUntimed ||= isUntimed === true;
  return { body, encoding: 'otlp-protobuf', outcome, written: tally && writtenOf(tally, outcome.refused), tally };
}

/** A request of nothing but samples stays as it is; `undefined` for any other, and for one that is broken. */
function prepareSamples(body: Buffer, version: 1 | 2, limits: PrepareLimits): Prepared | undefined {
  const outcome = scanSamples(unpackScratch(body, limits.inflatedBytes), version, limits);
  if (outcome === undefined) return undefined;
  const written = { samples: outcome.items - outcome.refused.length, histograms: 0, exemplars: 0 };
  return { body, encoding: version === 1 ? 'remote-write-1' : 'remote-write-2', outcome, written };
}

/** From this size on, preparing would block the server's event loop for too long, so the worker does it. */
const INLINE_BYTES: Record<BodyFormat, number> = {
  protobuf: 4 * 1024 * 1024,
  json: 512 * 1024,
  pprof: 256 * 1024,
  // Snappy compresses series to a quarter or less.
  'prometheus-1': 128 * 1024,
  'prometheus-2': 128 * 1024,
  'loki-json': 512 * 1024,
  'loki-protobuf': 256 * 1024,
  zipkin: 512 * 1024,
};
/** Lower, since the dictionary of profiles is read as a whole. */
const INLINE_PROFILE_BYTES = 512 * 1024;

export function isLong({ signal, format, body }: Source): boolean {
  return body.length > Math.min(INLINE_BYTES[format], signal === 'profiles' ? INLINE_PROFILE_BYTES : Infinity);
}
