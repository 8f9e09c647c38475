const comma = 0x2c;

/** Pieces of JSON with commas between them in one buffer. @param begin ASCII */
export function joined(begin: string, pieces: readonly Uint8Array[], end: string): Buffer {
  let length = begin.length + Buffer.byteLength(end) + Math.max(0, pieces.length - 1);
  for (const piece of pieces) length += piece.length;
  const all = Buffer.allocUnsafe(length);
  let at = all.write(begin, 0, 'latin1');
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
    all[at++] = comma;
  }
  if (pieces.length > 0) at--;
  all.write(end, at, 'utf8');
  return all;
}
