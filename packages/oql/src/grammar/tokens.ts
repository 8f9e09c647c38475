import { ExternalTokenizer, type InputStream } from '@lezer/lr';
import { KEYWORDS, keywordToken } from './keywords.ts';
import * as terms from './terms.generated.ts';

const termByName: Readonly<Record<string, number>> = terms;
const keywordTerms: ReadonlyMap<string, number> = new Map(
  KEYWORDS.map((word) => [word, termByName[keywordToken(word)] ?? 0]),
);
const longestKeyword = Math.max(...KEYWORDS.map((word) => word.length));

function isWordStart(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 97 && lower <= 122) || code === 95 || code === 64 || code === 0xb5 || code >= 0xc0;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** A keyword exactly where the parser can shift it, else a plain name; each stack of the parser decides for itself. */
export const words = new ExternalTokenizer(
  (input, stack) => {
    let code = input.next;
    if (!isWordStart(code)) return;
    let word = '';
    let length = 0;
    do {
      if (length++ < longestKeyword) word += String.fromCharCode(code);
      code = input.advance();
    } while (isWordStart(code) || isDigit(code));
    const keyword = length <= longestKeyword ? keywordTerms.get(word) : undefined;
    input.acceptToken(keyword !== undefined && stack.canShift(keyword) ? keyword : terms.Name);
  },
  { contextual: true },
);

const INT = /^\d+$/;
const FLOAT = /^\d+(\.\d+)?([eE][+-]?\d+)?$/;
const DURATION = /^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h|d|w))+$/;
const BYTES = /^\d+(\.\d+)?([kKMGTP]i?)?B$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?/;
/** Longer than any timestamp; `2026-11-19T14:53:20.123456789+00:00` has 35 characters. */
const TIMESTAMP_LENGTH = 40;

function timestampLength(input: InputStream): number {
  let text = '';
  for (let i = 0; i < TIMESTAMP_LENGTH; i++) {
    const code = input.peek(i);
    if (!isDigit(code) && !isWordStart(code) && code !== 45 && code !== 58 && code !== 46 && code !== 43) break;
    text += String.fromCharCode(code);
  }
  return TIMESTAMP.exec(text)?.[0].length ?? 0;
}

/** The longest run of digits, letters and dots, classified afterwards: `100mss` is one bad number, not `100ms` and `s`. */
export const numbers = new ExternalTokenizer((input) => {
  if (!isDigit(input.next)) return;
  const timestamp = timestampLength(input);
  if (timestamp > 0) return input.acceptToken(terms.Timestamp, timestamp);
  let text = '';
  let code = input.next;
  const take = () => {
    if (text.length < 64) text += String.fromCharCode(code);
    code = input.advance();
  };
  for (;;) {
    const fraction = code === 46 && isDigit(input.peek(1));
    const exponent = (code === 45 || code === 43) && /^[\d.]+[eE]$/.test(text) && isDigit(input.peek(1));
    if (!isDigit(code) && !isWordStart(code) && !fraction && !exponent) break;
    take();
  }
  input.acceptToken(classify(text));
});

function classify(text: string): number {
  if (INT.test(text)) return terms.Int;
  if (FLOAT.test(text)) return terms.Float;
  if (DURATION.test(text)) return terms.Duration;
  return BYTES.test(text) ? terms.Bytes : terms.InvalidNumber;
}
