import { MISSING } from '../schema/attributes.ts';
import { NULL, type Sql, sql, strings, text } from '../sql/sql.ts';
import type { CompareOperator, Range } from '../syntax/ast.ts';
import type { Context } from './context.ts';
import { asList, hasElement } from './elements.ts';
import { regexFault } from './regex.ts';
import { isNumber, withArticle } from './types.ts';
import { BROKEN, type Dynamic, readAs, type Value } from './value.ts';

export type TextOperator = Extract<CompareOperator, '=~' | '!~' | 'has' | 'contains' | 'startswith'>;

/**
 * `has` (whole words), `contains` and `startswith` ignore the case of ASCII letters. `=~` and `!~` match an RE2
 * expression anywhere in the text and respect case, unless it has `(?i)`. A missing value matches only `!~`. On an array,
 * `has` matches its elements.
 */
export function matchText(operator: TextOperator, left: Value, right: Value, range: Range, ctx: Context): Value {
  if (left.broken || right.broken) return BROKEN;
  const list = operator === 'has' ? asList(left) : undefined;
  if (list && left.type === 'array' && right.constant && right.type !== 'null') {
    return { type: 'bool', sql: hasElement(list, right), nullable: false };
  }
  const isNumeric = right.constant !== undefined && isNumber(right.type);
  if (list && left.dynamic && isNumeric)
    return { type: 'bool', sql: inList(left.dynamic, list, right), nullable: false };
  const haystack = left.dynamic ? left.dynamic.read('string', MISSING.string) : readText(left);
  if (haystack === undefined) {
    ctx.error('TYPE_MISMATCH', range, `\`${operator}\` searches in text, not in ${withArticle(left.type)}.`);
    return BROKEN;
  }
  const needle = readAs(right, 'string');
  if (needle === undefined || right.type === 'null') {
    ctx.error('TYPE_MISMATCH', range, `\`${operator}\` searches for text, not for ${withArticle(right.type)}.`);
    return BROKEN;
  }
  const words = matcher(operator, haystack, needle, range, ctx);
  const mayBeList =
    list && left.dynamic && !left.dynamic.untyped && right.constant && left.dynamic.read('array') !== NULL;
  const condition = words && mayBeList ? sql`(${words} OR ${inList(left.dynamic, list, right)})` : words;
  const aggregate = left.aggregate || right.aggregate;
  return condition ? { type: 'bool', sql: condition, nullable: false, ...(aggregate ? { aggregate } : {}) } : BROKEN;
}

/** Parses a value as a list only if it begins with `[`. */
function inList({ read }: Dynamic, list: Value, sought: Value): Sql {
  return sql`(startsWith(ifNull(${read('array')}, ''), '[') AND ${hasElement(list, sought)})`;
}

function readText(value: Value): Sql | undefined {
  const read = readAs(value, 'string');
  if (read === undefined) return undefined;
  return read.nullable ? sql`ifNull(${read.sql}, '')` : read.sql;
}

function matcher(operator: TextOperator, haystack: Sql, needle: Value, range: Range, ctx: Context): Sql | undefined {
  const constant = needle.constant?.type === 'string' ? needle.constant.value : undefined;
  const sought = needle.nullable ? sql`ifNull(${needle.sql}, '')` : needle.sql;
  switch (operator) {
    case 'contains':
      return sql`(positionCaseInsensitive(${haystack}, ${sought}) > 0)`;
    case 'startswith':
      return sql`startsWith(lower(${haystack}), lower(${sought}))`;
    case 'has':
      if (constant === undefined) {
        ctx.error('TYPE_MISMATCH', range, '`has` needs constant words; `contains` takes any text.');
        return undefined;
      }
      return hasWords(haystack, constant);
    case '=~':
    case '!~': {
      const fault = constant === undefined ? 'it must be a constant' : regexFault(constant);
      if (fault !== undefined || constant === undefined) {
        ctx.error('INVALID_PATTERN', range, `Invalid regular expression: ${fault}.`);
        return undefined;
      }
      return operator === '=~'
        ? sql`match(${haystack}, ${text(constant)})`
        : sql`(NOT match(${haystack}, ${text(constant)}))`;
    }
  }
}

/** The words of a text, as in the word index: runs of letters and digits in lower case. Non-ASCII characters count as letters. */
export function wordsOf(written: string): readonly string[] {
  return lowerAscii(written)
    .split(/[\x20-\x2f\x3a-\x60\x7b-\x7f\s]+/)
    .filter((word) => word !== '');
}

function lowerAscii(written: string): string {
  return written.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * All the words, in the written order and spacing. Searches the text first, which is twice as fast as splitting rows into
 * words (`docs/decisions/0041`). Then the tokens, which the text index of a past day also has, exclude words that are part of
 * longer ones. For a column, the condition on its tokens is repeated in the form that the filters of its granules use.
 */
function hasWords(haystack: Sql, written: string): Sql {
  const words = wordsOf(written);
  const lowered = sql`lower(${haystack})`;
  const phrase = sql`position(${lowered}, ${text(lowerAscii(written))}) > 0`;
  if (words.length === 0) return sql`(${phrase})`;
  const found = sql`${phrase} AND hasAllTokens(${lowered}, ${strings(words)})`;
  if (haystack.kind !== 'column') return sql`(${found})`;
  return sql`(${found} AND hasAll(tokens(${lowered}, 'splitByNonAlpha'), ${strings(words)}))`;
}
