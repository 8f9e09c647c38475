/**
 * Protobuf written and read by the encoding guide, independent of the product's code, to check the product's responses.
 */

export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const more = rest > 127n;
    bytes.push(Number(rest & 127n) | (more ? 128 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(bytes);
}

const tag = (field: number, wire: number) => varint(field * 8 + wire);
export const number = (field: number, value: number | bigint) => Buffer.concat([tag(field, 0), varint(value)]);
export const bytes = (field: number, value: Uint8Array | string) => {
  const content = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([tag(field, 2), varint(content.length), content]);
};
export const message = (field: number, ...parts: Uint8Array[]) => bytes(field, Buffer.concat(parts));
export function fixed64(field: number, value: bigint): Buffer {
  const content = Buffer.alloc(8);
  content.writeBigUInt64LE(BigInt.asUintN(64, value));
  return Buffer.concat([tag(field, 1), content]);
}
export function double(field: number, value: number): Buffer {
  const content = Buffer.alloc(8);
  content.writeDoubleLE(value);
  return Buffer.concat([tag(field, 1), content]);
}

/** The bytes are not protobuf. */
export class Broken extends Error {}

/** A field as it is on the wire. */
export interface Field {
  readonly number: number;
  readonly wire: number;
  /** For wire type 0. */
  readonly value: bigint;
  /** For the other wire types. */
  readonly content: Buffer;
}

const none = Buffer.alloc(0);

/** @throws {Broken} */
export function fieldsOf(body: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const readVarint = (): bigint => {
    let value = 0n;
    for (let count = 0; count < 10; count++) {
      const byte = body[at++];
      if (byte === undefined) throw new Broken('ends within a number');
      value |= BigInt(byte & 127) << BigInt(7 * count);
      if (byte < 128) return value;
    }
    throw new Broken('a number of more than ten bytes');
  };
  const take = (length: bigint): Buffer => {
    if (BigInt(at) + length > BigInt(body.length)) throw new Broken('longer than its message');
    const content = body.subarray(at, at + Number(length));
    at += Number(length);
    return content;
  };
  while (at < body.length) {
    const read = readVarint();
    const wire = Number(read & 7n);
    if (read < 8n || read > 0xffffffffn) throw new Broken('no such field');
    const field = { number: Number(read >> 3n), wire, value: 0n, content: none };
    if (wire === 0) fields.push({ ...field, value: readVarint() });
    else if (wire === 1) fields.push({ ...field, content: take(8n) });
    else if (wire === 2) fields.push({ ...field, content: take(readVarint()) });
    else if (wire === 5) fields.push({ ...field, content: take(4n) });
    else throw new Broken('groups are in no message of OTLP');
  }
  return fields;
}
