/**
 * A reader of the protobuf wire format (https://protobuf.dev/programming-guides/encoding/), as far as OTLP needs it.
 */

/** The fields of a message by number, in order: varints and fixed64 as bigint, the rest as bytes. */
export type Message = ReadonlyMap<number, readonly (bigint | Uint8Array)[]>;

export function readMessage(bytes: Uint8Array): Message {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields = new Map<number, (bigint | Uint8Array)[]>();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = view.getUint8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const fixed64 = () => {
    at += 8;
    return view.getBigUint64(at - 8, true);
  };
  const take = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const type = tag & 7;
    let value: bigint | Uint8Array;
    if (type === 0) value = varint();
    else if (type === 1) value = fixed64();
    else if (type === 2) value = take(Number(varint()));
    else if (type === 5) value = take(4);
    else throw new Error(`wire type ${type}`);
    const known = fields.get(tag >>> 3);
    if (known) known.push(value);
    else fields.set(tag >>> 3, [value]);
  }
  return fields;
}

export function messages(message: Message, field: number): Message[] {
  return (message.get(field) ?? []).filter((value) => value instanceof Uint8Array).map(readMessage);
}

export function message(parent: Message, field: number): Message {
  return messages(parent, field)[0] ?? new Map();
}

export function integer(parent: Message, field: number): bigint {
  const value = parent.get(field)?.[0];
  return typeof value === 'bigint' ? value : 0n;
}

export function bytes(parent: Message, field: number): Uint8Array {
  const value = parent.get(field)?.[0];
  return value instanceof Uint8Array ? value : new Uint8Array();
}

export function hex(parent: Message, field: number): string {
  return Buffer.from(bytes(parent, field)).toString('hex');
}

export function string(parent: Message, field: number): string {
  return Buffer.from(bytes(parent, field)).toString('utf8');
}

export function double(parent: Message, field: number): number {
  const buffer = new DataView(new ArrayBuffer(8));
  buffer.setBigUint64(0, integer(parent, field));
  return buffer.getFloat64(0);
}
