import type { Block } from '../transcode/block.ts';

/** The rows of a block of points as text. */
export function pointsOf({ body, rows }: Block): string[] {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = body[at++] as number;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const text = () => {
    const length = varint();
    at += length;
    return body.toString('utf8', at - length, at);
  };
  const columns = varint();
  varint();
  const found = Array.from({ length: rows }, () => [] as string[]);
  for (let column = 0; column < columns; column++) {
    const name = text();
    const type = text();
    if (type === 'LowCardinality(String)') {
      const width = 1 << Number(body.readBigUInt64LE(at + 8) & 255n);
      const count = Number(body.readBigUInt64LE(at + 16));
      at += 24;
      const texts = Array.from({ length: count }, text);
      at += 8;
      for (const row of found) {
        row.push(`${name}=${texts[body.readUIntLE(at, width)]}`);
        at += width;
      }
      continue;
    }
    const width = { UInt32: 4, UInt16: 2, Bool: 1 }[type] ?? 8;
    for (const row of found) {
      const isMissing = type === 'Float64' && Number.isNaN(body.readDoubleLE(at));
      row.push(`${name}=${isMissing ? 'NaN' : body.toString('hex', at, at + width)}`);
      at += width;
    }
  }
  return found.map((row) => row.join(' '));
}
