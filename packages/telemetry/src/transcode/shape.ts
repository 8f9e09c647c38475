import type { Hash64 } from './hash.ts';

/** The start of a body is enough for its shape. */
const MAX_BYTES = 8192;
/** A run of hex letters of this length counts as an id, even without a digit. */
const HEX_ID = 16;

const OTHER = 0;
const LETTER = 1;
const HEX_LETTER = 2;
const DIGIT = 3;
/** Characters that join letters and digits to one word: `order-17`, `a_1`, `1.5`. */
const JOINT = 4;
const SPACE = 5;

const classes = buildClasses();

/**
 * The masked shape of a log body: a run of white space is its first character, and every word with a digit, and every
 * long hex word, is `*`. Bodies of one log statement have one shape, whatever numbers, ids and addresses they contain.
 * Since it depends only on the body, all replicas agree on it. Log patterns are built from shapes.
 */
export function maskBody(body: string): string {
  const bytes = Buffer.from(body);
  const parts: string[] = [];
  walk(bytes, 0, bytes.length, {
    word: (start, end) => parts.push(bytes.toString('utf8', start, end)),
    masked: () => parts.push('*'),
  });
  return parts.join('');
}

/**
 * Writes the hash of the shape to `hash`: equal exactly if {@link maskBody} is equal. It runs once for each log record, so it has the loop of
 * {@link walk} without its calls.
 */
export function hashShape(bytes: Buffer, start: number, end: number, hash: Hash64): void {
  hash.reset(0x5a);
  const limit = Math.min(end, start + MAX_BYTES);
  let at = start;
  while (at < limit) {
    const from = at;
    const first = classes[bytes[at] as number] as number;
    if (first === OTHER) {
      at++;
      hash.bytes(bytes, from, at);
    } else if (first === SPACE) {
      do at++;
      while (at < limit && classes[bytes[at] as number] === SPACE);
      if (at < limit && from > start) hash.bytes(bytes, from, from + 1);
    } else {
      // The kinds of the word's characters, a bit each.
      let kinds = 0;
      do kinds |= 1 << (classes[bytes[at] as number] as number);
      while (++at < limit && isOfWord(classes[bytes[at] as number] as number));
      const isMasked = (kinds & (1 << DIGIT)) !== 0 || ((kinds & (1 << LETTER)) === 0 && at - from >= HEX_ID);
      if (isMasked) hash.word(0x2a);
      else hash.bytes(bytes, from, at);
    }
  }
  hash.finish();
  // 63 bits: integers of OQL are signed, and `logs | where shape in (…)` must accept every shape.
  hash.high &= 0x7fffffff;
}

function isOfWord(kind: number): boolean {
  return kind !== OTHER && kind !== SPACE;
}

interface Visitor {
  word(start: number, end: number): void;
  masked(): void;
}

/** Splits into words and separators; a separator is a "word" of one byte. */
function walk(bytes: Buffer, start: number, end: number, visitor: Visitor): void {
  const limit = Math.min(end, start + MAX_BYTES);
  let at = start;
  while (at < limit) {
    const first = classes[bytes[at] as number] as number;
    if (first === OTHER) {
      visitor.word(at, ++at);
      continue;
    }
    const from = at;
    if (first === SPACE) {
      while (at < limit && classes[bytes[at] as number] === SPACE) at++;
      if (at < limit && from > start) visitor.word(from, from + 1);
      continue;
    }
    let digits = 0;
    let plain = 0;
    for (; at < limit; at++) {
      const kind = classes[bytes[at] as number] as number;
      if (!isOfWord(kind)) break;
      if (kind === DIGIT) digits++;
      else if (kind === LETTER) plain++;
    }
    if (digits > 0 || (plain === 0 && at - from >= HEX_ID)) visitor.masked();
    else visitor.word(from, at);
  }
}

function buildClasses(): Uint8Array {
  const table = new Uint8Array(256).fill(OTHER);
  for (const letter of 'ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ') table[letter.charCodeAt(0)] = LETTER;
  for (const letter of 'abcdefABCDEF') table[letter.charCodeAt(0)] = HEX_LETTER;
  for (const digit of '0123456789') table[digit.charCodeAt(0)] = DIGIT;
  for (const joint of '-_.') table[joint.charCodeAt(0)] = JOINT;
  for (const space of ' \t\r\n') table[space.charCodeAt(0)] = SPACE;
  // Bytes of multi-byte UTF-8 characters count as letters, so that words of other scripts stay whole.
  for (let byte = 128; byte < 256; byte++) table[byte] = LETTER;
  return table;
}
