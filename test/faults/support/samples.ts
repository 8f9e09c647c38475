import { bytes, double, fixed64, message, number } from './wire.ts';

/** Random numbers from a seed (mulberry32), so that a run can be repeated. */
export interface Dice {
  /** An integer below `limit`. */
  below(limit: number): number;
  pick<const T>(choices: readonly [T, ...T[]]): T;
  chance(share: number): boolean;
  bytes(length: number): Buffer;
}

export function dice(seed: number): Dice {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    pick: (choices) => choices[below(choices.length)] ?? choices[0],
    chance: (share) => next() < share,
    bytes: (length) => Buffer.from(Array.from({ length }, () => 1 + below(255))),
  };
}

const nanos = (millis: number) => BigInt(millis) * 1_000_000n;

/** Nanoseconds in 63 bits end in 2262, unsigned ones in 2554. */
const wrongTimes = [0n, 1n, nanos(1), 2n ** 63n - 1n, 2n ** 64n - 1n] as const;

/** Mostly now, sometimes an invalid time. */
function time(roll: Dice, now: number): bigint {
  return roll.chance(0.1) ? roll.pick(wrongTimes) : nanos(now - roll.below(10_000));
}

function id(roll: Dice, length: number): Uint8Array {
  if (!roll.chance(0.12)) return roll.bytes(length);
  return roll.chance(0.2) ? Buffer.alloc(length) : roll.bytes(roll.pick([0, 1, length - 1, length + 1, 32]));
}

const invalidUtf8 = Buffer.from([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0x61]);

function text(roll: Dice): Buffer {
  return roll.pick<Buffer>([
    Buffer.from('checkout'),
    Buffer.from('grüße 🐟 \u0000 end'),
    Buffer.alloc(0),
    invalidUtf8,
    Buffer.alloc(300, 'x'),
  ]);
}

/** `AnyValue`, sometimes nested too deeply. */
export function value(roll: Dice, depth = 0): Buffer {
  const kind = depth > 3 ? roll.below(5) : roll.below(8);
  switch (kind) {
    case 0:
      return bytes(1, text(roll));
    case 1:
      return number(2, roll.below(3));
    case 2:
      return number(3, BigInt.asUintN(64, BigInt(roll.below(1000) - 500)));
    case 3:
      return double(4, roll.pick([1.5, Number.NaN, Number.POSITIVE_INFINITY, -0, 1e308]));
    case 4:
      return bytes(7, roll.bytes(roll.below(20)));
    case 5:
      return message(5, ...Array.from({ length: roll.below(4) }, () => message(1, value(roll, depth + 1))));
    case 6:
      return message(6, ...Array.from({ length: roll.below(4) }, () => attribute(roll, 1, depth + 1)));
    default:
      return roll.chance(0.03) ? nested(roll.pick([63, 64, 65, 200])) : Buffer.alloc(0);
  }
}

/** An `AnyValue` of arrays nested to a depth. */
export function nested(depth: number): Buffer {
  let inner: Buffer = bytes(1, 'deep');
  for (let level = 0; level < depth; level++) inner = message(5, message(1, inner));
  return inner;
}

export function attribute(roll: Dice, field: number, depth = 0): Buffer {
  return message(field, bytes(1, text(roll)), message(2, value(roll, depth)));
}

function attributes(roll: Dice, field: number): Buffer[] {
  return Array.from({ length: roll.below(5) }, () => attribute(roll, field));
}

function span(roll: Dice, now: number): Buffer {
  const parts: Buffer[] = [bytes(1, id(roll, 16)), bytes(2, id(roll, 8)), bytes(3, 'a=b')];
  if (roll.chance(0.5)) parts.push(bytes(4, id(roll, 8)));
  parts.push(bytes(5, text(roll)), number(6, roll.below(7)), fixed64(7, time(roll, now)), fixed64(8, time(roll, now)));
  parts.push(...attributes(roll, 9));
  if (roll.chance(0.3))
    parts.push(message(11, fixed64(1, time(roll, now)), bytes(2, text(roll)), ...attributes(roll, 3)));
  if (roll.chance(0.3)) parts.push(message(13, bytes(1, id(roll, 16)), bytes(2, id(roll, 8)), ...attributes(roll, 4)));
  if (roll.chance(0.5)) parts.push(message(15, bytes(2, text(roll)), number(3, roll.below(4))));
  return message(2, ...parts);
}

function record(roll: Dice, now: number): Buffer {
  const parts: Buffer[] = [];
  if (roll.chance(0.8)) parts.push(fixed64(1, time(roll, now)));
  if (roll.chance(0.5)) parts.push(fixed64(11, time(roll, now)));
  parts.push(number(2, roll.below(30)), message(5, value(roll)), ...attributes(roll, 6));
  if (roll.chance(0.5)) parts.push(bytes(9, id(roll, 16)), bytes(10, id(roll, 8)));
  return message(2, ...parts);
}

function doubles(field: number, values: readonly number[]): Buffer {
  const content = Buffer.alloc(values.length * 8);
  for (const [i, each] of values.entries()) content.writeDoubleLE(each, i * 8);
  return bytes(field, content);
}

function metric(roll: Dice, now: number): Buffer {
  const kind = roll.pick([5, 7, 9, 10, 11]);
  const points = Array.from({ length: 1 + roll.below(4) }, () => {
    const stamp = fixed64(3, time(roll, now));
    switch (kind) {
      case 9: {
        const bounds = roll.below(4);
        const counts = roll.chance(0.1) ? roll.below(4) : bounds + 1;
        const zeros = Buffer.alloc(counts * 8);
        return message(
          1,
          stamp,
          fixed64(4, 3n),
          bytes(6, zeros),
          doubles(7, (roll.chance(0.9) ? [1, 2, 3] : [2, 2, Number.NaN]).slice(0, bounds)),
          ...attributes(roll, 9),
        );
      }
      case 10:
        return message(
          1,
          ...attributes(roll, 1),
          stamp,
          number(6, roll.chance(0.1) ? 2 * 21 : roll.below(20)),
          message(8, number(1, 3), bytes(2, Buffer.from([1, 2, 3]))),
        );
      case 11:
        return message(1, stamp, fixed64(4, 3n), message(6, double(1, 0.5), double(2, 7)), ...attributes(roll, 7));
      default:
        return message(
          1,
          stamp,
          double(4, roll.pick([1, Number.NaN, Number.NEGATIVE_INFINITY])),
          ...attributes(roll, 7),
        );
    }
  });
  const name = roll.chance(0.05)
    ? roll.pick<Buffer>([Buffer.alloc(0), Buffer.alloc(1025, 'n')])
    : Buffer.from(`fuzz.${kind}`);
  return message(2, bytes(1, name), message(kind, ...points));
}

const makers = { traces: span, logs: record, metrics: metric } as const;

/** A well-formed export request in which some items are invalid. */
export function request(roll: Dice, signal: keyof typeof makers, now: number): Buffer {
  const items = () => Array.from({ length: roll.below(6) }, () => makers[signal](roll, now));
  const scopes = () =>
    Array.from({ length: roll.below(3) }, () => message(2, message(1, bytes(1, text(roll))), ...items()));
  const resource = () =>
    message(1, message(1, bytes(1, 'service.name'), message(2, bytes(1, 'fuzz'))), ...attributes(roll, 1));
  return Buffer.concat(Array.from({ length: 1 + roll.below(2) }, () => message(1, resource(), ...scopes())));
}

/** Cuts, flips, repeats or replaces bytes. */
export function damage(roll: Dice, body: Buffer): Buffer {
  const copy = Buffer.from(body);
  const at = roll.below(Math.max(1, copy.length));
  switch (roll.below(5)) {
    case 0:
      return copy.subarray(0, at);
    case 1:
      for (let i = 0; i < 1 + roll.below(3); i++) {
        const where = roll.below(Math.max(1, copy.length));
        copy[where] = (copy[where] ?? 0) ^ (1 << roll.below(8));
      }
      return copy;
    case 2:
      return Buffer.concat([copy.subarray(0, at), roll.bytes(1 + roll.below(12)), copy.subarray(at)]);
    case 3:
      return Buffer.concat([copy.subarray(0, at), copy.subarray(at + 1 + roll.below(8))]);
    default:
      return Buffer.concat([copy, copy.subarray(at)]);
  }
}
