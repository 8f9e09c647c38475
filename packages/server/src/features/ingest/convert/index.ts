import type { Signal } from '../../../platform/wal/index.ts';
import { jsonToProtobuf } from '../json/to-protobuf.ts';
import { resolveReferences } from '../profiles/resolve.ts';
import { pprofToOtlp } from './pprof.ts';

/** How the body of a request is written. */
export type BodyFormat = 'protobuf' | 'json' | 'pprof';

/** The body of a request as a door hands it on. */
export interface Source {
  readonly signal: Signal;
  readonly format: BodyFormat;
  /** Inflated. */
  readonly body: Buffer;
  /** Attributes of the resource, for formats that bring none. */
  readonly resource?: Readonly<Record<string, string>>;
}

export interface ConvertLimits {
  /** Unix milliseconds, for what comes without a time. */
  readonly now: number;
}

/**
 * Writes a body as the protobuf of an OTLP export request, so that there is one scan, one form in the log and one
 * transcoder for each signal.
 * @throws {WireError | JsonError} when it cannot be read: 400 for the whole body.
 * @throws {TooLarge} 413 for the whole body.
 */
export function toOtlp({ signal, format, body, resource }: Source, { now }: ConvertLimits): Buffer {
  switch (format) {
    case 'protobuf':
      return signal === 'profiles' ? resolveReferences(body) : body;
    case 'json': {
      const protobuf = jsonToProtobuf(signal, body);
      return signal === 'profiles' ? resolveReferences(protobuf) : protobuf;
    }
    case 'pprof':
      return pprofToOtlp(body, resource ?? {}, now);
  }
}
