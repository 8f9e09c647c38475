import type { Signal } from '../entry.ts';
import { jsonToProtobuf } from '../json/to-protobuf.ts';
import { resolveReferences } from '../profiles/resolve.ts';
import { lokiToOtlp } from './loki.ts';
import { pprofToOtlp } from './pprof.ts';
import { prometheusToOtlp } from './prometheus.ts';
import { unpackSnappy } from './snappy.ts';
import type { Tally } from './tally.ts';
import { zipkinToOtlp } from './zipkin.ts';

/** The format of a request's body. */
export type BodyFormat =
  | 'protobuf'
  | 'json'
  | 'pprof'
  /** Remote write 1.0 and 2.0, in Snappy. */
  | 'prometheus-1'
  | 'prometheus-2'
  | 'loki-json'
  /** In Snappy. */
  | 'loki-protobuf'
  /** JSON of Zipkin v2. */
  | 'zipkin';

/** The body of a request as an endpoint passes it on. */
export interface Source {
  readonly signal: Signal;
  readonly format: BodyFormat;
  /** Inflated, unless Snappy is part of the format. */
  readonly body: Buffer;
  /** Attributes of the resource, for formats without any. */
  readonly resource?: Readonly<Record<string, string>>;
}

export interface ConvertLimits {
  /** Unix milliseconds, for items without a time. */
  readonly now: number;
  /** Limit of an inflated Snappy body. */
  readonly inflatedBytes: number;
  readonly maxItems: number;
}

export interface Converted {
  /** Protobuf of an OTLP export request. */
  readonly body: Buffer;
  /** For protocols whose answer reports more than a number. */
  readonly tally?: Tally;
  /** It had no time, and got that of its arrival. */
  readonly isUntimed?: boolean;
}

/**
 * Converts a body to the protobuf of an OTLP export request, so that each signal has one scan, one form in the log and
 * one transcoder.
 * @throws {WireError | JsonError} when it cannot be read: 400 for the whole body.
 * @throws {TooLarge} 413 for the whole body.
 */
export function toOtlp(
  { signal, format, body, resource }: Source,
  { now, inflatedBytes, maxItems }: ConvertLimits,
): Converted {
  switch (format) {
    case 'protobuf':
      return { body: signal === 'profiles' ? resolveReferences(body) : body };
    case 'json': {
      const protobuf = jsonToProtobuf(signal, body);
      return { body: signal === 'profiles' ? resolveReferences(protobuf) : protobuf };
    }
    case 'pprof':
      return pprofToOtlp(body, resource ?? {}, now);
    case 'prometheus-1':
    case 'prometheus-2':
      return prometheusToOtlp(unpackSnappy(body, inflatedBytes), format === 'prometheus-1' ? 1 : 2, maxItems);
    case 'loki-json':
      return { body: lokiToOtlp(body, 'json') };
    case 'loki-protobuf':
      return { body: lokiToOtlp(unpackSnappy(body, inflatedBytes), 'protobuf') };
    case 'zipkin':
      return { body: zipkinToOtlp(body) };
  }
}
