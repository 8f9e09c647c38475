import { WireReader } from '@fanion/telemetry';

const tagOf = (field: number, type: number) => (field << 3) | type;
const [varint, lengthDelimited] = [0, 2];

/**
 * The fields of one protobuf message. A field with an unexpected wire type is treated as missing. If a field occurs several
 * times, the last one counts, as protobuf says.
 */
export class GrpcFields {
  readonly #values = new Map<number, (bigint | Buffer)[]>();

  /** @throws `WireError` */
  constructor(bytes: Buffer) {
    const reader = new WireReader(bytes);
    while (reader.position < bytes.length) {
      const tag = reader.tag();
      const value = readValue(reader, tag, bytes.length);
      if (value !== undefined) this.#values.set(tag, [...(this.#values.get(tag) ?? []), value]);
    }
    reader.finish(bytes.length);
  }

  /** Undefined: missing or empty, which protobuf does not tell apart. */
  text(field: number): string | undefined {
    const value = this.#last(field, lengthDelimited);
    return value instanceof Buffer && value.length > 0 ? value.toString('utf8') : undefined;
  }

  /** A whole number of 64 bits. Undefined: missing or 0. */
  whole(field: number): bigint | undefined {
    const value = this.#last(field, varint);
    return typeof value === 'bigint' && value !== 0n ? value : undefined;
  }

  nested(field: number): GrpcFields | undefined {
    const value = this.#last(field, lengthDelimited);
    return value instanceof Buffer ? new GrpcFields(value) : undefined;
  }

  /** A `map<string, string>`, or nothing if it is empty. */
  map(field: number): readonly (readonly [key: string, value: string])[] {
    return (this.#values.get(tagOf(field, lengthDelimited)) ?? []).flatMap((value) => {
      if (!(value instanceof Buffer)) return [];
      const entry = new GrpcFields(value);
      return [[entry.text(1) ?? '', entry.text(2) ?? ''] as const];
    });
  }

  /** Nanoseconds of a `google.protobuf.Timestamp` or `Duration`. */
  nanoseconds(field: number): bigint | undefined {
    const time = this.nested(field);
    return time && (time.whole(1) ?? 0n) * 1_000_000_000n + (time.whole(2) ?? 0n);
  }

  #last(field: number, type: number): bigint | Buffer | undefined {
    return this.#values.get(tagOf(field, type))?.at(-1);
  }
}

function readValue(reader: WireReader, tag: number, end: number): bigint | Buffer | undefined {
  switch (tag & 7) {
    case varint:
      reader.int64();
      return (BigInt(reader.high) << 32n) | BigInt(reader.low >>> 0);
    case lengthDelimited: {
      const stop = reader.enter(end);
      const value = reader.bytes.subarray(reader.position, stop);
      reader.position = stop;
      return value;
    }
    default:
      reader.skip(tag, end);
      return undefined;
  }
}

/** The first field of a path of nested messages, without reading the fields behind it. Undefined: missing. @throws `WireError` */
export function firstBytes(bytes: Buffer, path: readonly number[]): Buffer | undefined {
  const [field, ...rest] = path;
  if (field === undefined) return bytes;
  const reader = new WireReader(bytes);
  while (reader.position < bytes.length) {
    const tag = reader.tag();
    const value = readValue(reader, tag, bytes.length);
    if (tag === tagOf(field, lengthDelimited) && value instanceof Buffer) return firstBytes(value, rest);
  }
  return undefined;
}
