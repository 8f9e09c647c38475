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

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0xfeff;
}

/** Looks ahead without consuming input: the offset of the next character that is not white space. */
function pastSpace(input: InputStream, at: number): number {
  let offset = at;
  while (isSpace(input.peek(offset))) offset++;
  return offset;
}

/** Looks ahead past a word: the offset after it, or `at` if there is none. */
function pastWord(input: InputStream, at: number): number {
  let offset = at;
  while (isWordStart(input.peek(offset)) || (offset > at && isDigit(input.peek(offset)))) offset++;
  return offset;
}

const [BAR, PAREN, CLOSING, SEMICOLON, END] = [124, 40, 41, 59, -1];
/** Sources that a name comes after. */
const NAMED_SOURCES: ReadonlySet<string> = new Set(['metric', 'profiles', 'flags', 'exemplars']);
/** How far to look ahead over a name for the `|` after it. */
const LONGEST_NAME = 300;

function wordAt(input: InputStream, from: number, to: number): string {
  let word = '';
  for (let at = from; at < to; at++) word += String.fromCharCode(input.peek(at));
  return word;
}

/** `(spans | …`, `(errors | …` and `(metric x | …` open a sub-query; `(spans > 3)` does not. */
export const queryOpen = new ExternalTokenizer(
  (input, stack) => {
    if (input.next !== PAREN || !stack.canShift(terms.QueryOpen)) return;
    const from = pastSpace(input, 1);
    const to = pastWord(input, from);
    if (to === from) return;
    let at = pastSpace(input, to);
    if (to - from <= 9 && NAMED_SOURCES.has(wordAt(input, from, to))) {
      const end = at + LONGEST_NAME;
      while (at < end && input.peek(at) !== BAR && input.peek(at) !== CLOSING && input.peek(at) !== END) at++;
    }
    if (input.peek(at) === BAR && input.peek(at + 1) !== BAR) input.acceptToken(terms.QueryOpen, 1);
  },
  { contextual: true },
);

/** Words that are a source where nothing but a pipeline can follow, and else the name of a field. */
const LISTINGS: ReadonlySet<string> = new Set(['metrics', 'fields']);

function isListing(input: InputStream): boolean {
  const next = input.peek(pastSpace(input, 0));
  return next === BAR || next === CLOSING || next === SEMICOLON || next === END;
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
    const fits = keyword !== undefined && stack.canShift(keyword);
    // `| fields a, b` is a stage: a name cannot stand where one begins with anything but a name.
    const isSource = LISTINGS.has(word) && stack.canShift(terms.kwLogs);
    input.acceptToken(fits && (!isSource || isListing(input)) ? keyword : terms.Name);
  },
  { contextual: true },
);

const INT = /^\d+$/;
const FLOAT = /^\d+(\.\d+)?([eE][+-]?\d+)?$/;
const DURATION = /^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h|d|w))+$/;
const MONTHS = /^(\d+y)?(\d+mo)?$/;
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
  if (MONTHS.test(text)) return terms.Months;
  return BYTES.test(text) ? terms.Bytes : terms.InvalidNumber;
}
