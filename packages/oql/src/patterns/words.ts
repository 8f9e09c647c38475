import { type Sql, sql } from '../sql/sql.ts';

/** A text as a ClickHouse literal. Only for the expressions in this file: user input is never a literal. */
function literal(text: string): Sql {
  return { kind: 'text', parts: [`'${text.replace(/[\\']/g, '\\$&')}'`], args: [] };
}

/** Letters, digits, `_`, `-`, `.` and all non-ASCII characters: ingest treats these as one word. */
const OUTSIDE = String.raw`\x00-\x2c/\x3a-\x40\x5b-\x5e\x60\x7b-\x7f`;
const WITH_DIGIT = literal(`[^${OUTSIDE}]*[0-9][^${OUTSIDE}]*`);
const HEX_WORD = literal(`(^|[${OUTSIDE}])[A-Fa-f_.-]{16,}($|[${OUTSIDE}])`);
const SPACES = literal(String.raw`[ \t\r\n]+`);

/**
 * The masked shape of a text, as ingest computes it for the column `shape` (`maskBody` of the server; a test compares
 * the two): each word with a digit and each long hexadecimal word is `*`. It is the same for every text of one shape, so
 * one example of a shape shows what all its records have in common.
 */
export function shapeText(of: Sql): Sql {
  const digits = sql`replaceRegexpAll(substring(${of}, 1, 8192), ${WITH_DIGIT}, '*')`;
  // A match includes both neighboring characters, so the first pass misses a word right after a masked one.
  const once = sql`replaceRegexpAll(${digits}, ${HEX_WORD}, '\\\\1*\\\\2')`;
  const twice = sql`replaceRegexpAll(${once}, ${HEX_WORD}, '\\\\1*\\\\2')`;
  return sql`trimBoth(replaceRegexpAll(${twice}, ${SPACES}, ' '))`;
}

const PATH = String.raw`(?:[A-Za-z]:|~)?[\\/][^\s"'<>,;()\[\]{}|]+`;
/** Host names, packages, files: `a.b.c`, also with a port. */
const DOTTED = String.raw`[\w$-]+(?:\.[\w$-]+)+(?:[:/]\*)?`;
const CALENDAR =
  '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|EST|EDT|CST|CDT|PST|PDT|UTC|GMT)\\b';
const UNIT = '(?:bytes|[kKMGT]i?B|B|ms|us|ns|s|secs?|seconds?|minutes?|hours?|days?)';
/** A masked word, also with a comparison before it and a unit after it: `<* sec`. */
const MASKED = String.raw`[<>~]?\*(?: ?%| ${UNIT}\b)?`;
/** `worker[*]`, `LOCAL(*)` */
const NUMBERED = String.raw`[\w-]+(?:\(\*\)|\[\*\])`;
const VALUE = `(?:${PATH}|${DOTTED}|${CALENDAR}|${MASKED}|${NUMBERED})`;
/** Consecutive values are one value (`*:*`, `*, *`), including a value that is repeated in brackets: `* (* KB)`. */
const VALUES = `${VALUE}(?:(?:, ?| |:|@|/|_|-| - )${VALUE}| ?\\( ?(?:${VALUE})? ?\\))*`;
/** Each word includes the space before it, so that joining the words restores the text. */
const WORD = literal(String.raw` ?(?:${VALUES}|[\pL\pM_$.*#-]+|.)`);
const IS_VALUE = literal(String.raw`^ ?${VALUE}|\*`);
const BEGINS_WITH_LETTER = literal(String.raw`^ ?[\pL_]`);
/** In `msg=started` the word is the message, not a value. */
const NAMES_MESSAGE = literal('(?i)^ ?(?:msg|message|event)$');
const NAMES_PERSON = literal('(?i)^ ?user$');

/** Only these characters of a text are used: the rest of a very long one is a single `*`. */
const MAX_CHARACTERS = 2_000;
const MAX_WORDS = 200;

/** A masked shape as an array of words and single separators. */
export function wordsOf(shape: Sql): Sql {
  const cut = sql`if(lengthUTF8(${shape}) > ${MAX_CHARACTERS}, concat(leftUTF8(${shape}, ${MAX_CHARACTERS}), ' *'), ${shape})`;
  return sql`extractAll(${cut}, ${WORD})`;
}

/** The first words; one `*` replaces the others. */
export function firstWords(words: Sql): Sql {
  const cut = sql`arrayPushBack(arraySlice(${words}, 1, ${MAX_WORDS - 1}), ' *')`;
  return sql`if(length(${words}) > ${MAX_WORDS}, ${cut}, ${words})`;
}

/**
 * The words, with `*` for each one that is a value in any position: words masked by ingest, paths, dotted
 * names, dates, words after `=`, and the name after `user`.
 */
export function keysOf(words: Sql): Sql {
  const before = sql`arrayPopBack(arrayPushFront(${words}, ''))`;
  const twoBefore = sql`arrayPopBack(arrayPopBack(arrayPushFront(arrayPushFront(${words}, ''), '')))`;
  const isAssigned = sql`(b = '=' AND NOT match(a, ${NAMES_MESSAGE}))`;
  const isNamed = sql`(match(w, ${BEGINS_WITH_LETTER}) AND (${isAssigned} OR match(b, ${NAMES_PERSON})))`;
  return sql`arrayMap((w, b, a) -> if(match(w, ${IS_VALUE}) OR ${isNamed}, '*', w), ${words}, ${before}, ${twoBefore})`;
}
