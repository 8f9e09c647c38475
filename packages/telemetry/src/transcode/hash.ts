/**
 * A 64-bit hash as two 32-bit lanes, each MurmurHash3 (x86, 32 bit; Appleby 2011) with its own constants. It identifies
 * series, resources and shapes of log bodies in the store, so its values must never change between versions. It is not
 * secure against an adversary, who could only mix up data of their own project.
 */
export class Hash64 {
  low = 0;
  high = 0;

  reset(seed: number): void {
    this.low = seed;
    this.high = ~seed;
  }

  /** Mixes in a range of bytes. Boundaries count: ("ab", "c") differs from ("a", "bc"). */
  bytes(source: Uint8Array, start: number, end: number): void {
    let low = this.low;
    let high = this.high;
    let at = start;
    for (; at + 4 <= end; at += 4) {
      const word =
        (source[at] as number) |
        ((source[at + 1] as number) << 8) |
        ((source[at + 2] as number) << 16) |
        ((source[at + 3] as number) << 24);
      low = mixLow(low, word);
      high = mixHigh(high, word);
    }
    let tail = 0;
    for (let shift = 0; at < end; at++, shift += 8) tail |= (source[at] as number) << shift;
    this.low = mixLow(mixLow(low, tail), end - start);
    this.high = mixHigh(mixHigh(high, tail), end - start);
  }

  word(value: number): void {
    this.low = mixLow(this.low, value);
    this.high = mixHigh(this.high, value);
  }

  string(value: string): void {
    const bytes = Buffer.from(value);
    this.bytes(bytes, 0, bytes.length);
  }

  /** Spreads the input over all bits of both lanes. */
  finish(): void {
    const low = finalMix(this.low ^ this.high);
    const high = finalMix(this.high + low);
    this.low = low;
    this.high = high;
  }
}

function mixLow(lane: number, word: number): number {
  const k = Math.imul(rotate(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593);
  return (Math.imul(rotate(lane ^ k, 13), 5) + 0xe6546b64) | 0;
}

function mixHigh(lane: number, word: number): number {
  const k = Math.imul(rotate(Math.imul(word, 0x85ebca77), 16), 0xc2b2ae3d);
  return (Math.imul(rotate(lane ^ k, 17), 5) + 0x27d4eb2f) | 0;
}

function finalMix(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}
