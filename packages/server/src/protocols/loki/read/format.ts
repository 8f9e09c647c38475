import { isDeepStrictEqual } from 'node:util';
import { parseLogql } from './logql/parse.ts';

/** Characters of a line above which each stage of a pipeline gets its own. */
const widest = 100;

const token = /\s+|("(?:[^"\\]|\\.)*"|`[^`]*`)|#[^\n]*|--[a-z-]+|[\w.:$µμ]+|\|[=~>]|![=~>]|=~|==|>=|<=|[\s\S]/gy;
const operators: ReadonlySet<string> = new Set('| |= |~ |> != !~ !> =~ == = > < >= <= + - * / % ^'.split(' '));
const closing: ReadonlySet<string> = new Set([')', ']', '}', ',']);
const opening: ReadonlySet<string> = new Set(['(', '[', '{']);

/**
 * A query with the usual spaces, and where it is long, a line for each stage. Comments stay, each on a line that ends with it.
 *
 * @throws LogqlError if it is invalid
 */
export function formatLogql(query: string): string {
  const meaning = parseLogql(query);
  const tokens = [...query.matchAll(token)].map(([text]) => text).filter((text) => text.trim() !== '');
  const short = joined(tokens, ' ');
  const written = short.length <= widest ? short : joined(tokens, '\n  ');
  // A formatted query must mean the same.
  return isDeepStrictEqual(parseLogql(written), meaning) ? written : query.trim();
}

/** @param beforeStage what is before a pipe */
function joined(tokens: readonly string[], beforeStage: string): string {
  let [text, braces] = ['', 0];
  for (const [at, one] of tokens.entries()) {
    const before = tokens[at - 1];
    if (before !== undefined) {
      const isStage =
        braces === 0 && (/^\|/.test(one) || (/^!/.test(one) && before !== undefined && /["`}]$/.test(before)));
      text += isStage ? beforeStage : space(before, one, braces > 0, tokens[at - 2]);
    }
    text += one.startsWith('#') ? `${one.trimEnd()}\n` : one;
    if (one === '{') braces++;
    if (one === '}') braces--;
  }
  return text.trim();
}

function space(before: string, one: string, isInBraces: boolean, earlier: string | undefined): string {
  if (before.startsWith('#')) return '';
  if (before === ',') return ' ';
  if (opening.has(before) || closing.has(one)) return '';
  if (isInBraces && (operators.has(before) || operators.has(one))) return '';
  if (one === '[') return ' ';
  // A call, and what follows the labels of `by (…)`.
  if (one === '(')
    return operators.has(before) || /^(by|without|on|ignoring|and|or|unless|bool)$/.test(before) ? ' ' : '';
  const isSign =
    before === '-' && (earlier === undefined || operators.has(earlier) || opening.has(earlier) || earlier === ',');
  return isSign ? '' : ' ';
}
