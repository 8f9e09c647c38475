import { type Finding, insertAt, replaceWith, type Suggestion } from '../diagnostics/diagnostic.ts';
import { likeCondition } from '../foreign/names.ts';
import { KEYWORDS } from '../grammar/keywords.ts';
import { nearest } from '../text/distance.ts';
import type { Range } from './ast.ts';
import { AGGREGATE_WORDS, formElsewhere } from './elsewhere.ts';
import { expectedAt, firstFailure, type SyntaxFailure } from './errors.ts';

const keywords: ReadonlySet<string> = new Set(KEYWORDS);

/** Keywords of other query languages, and their names in OQL. */
const FOREIGN: Readonly<Record<string, string>> = {
  ...{ summarize: 'stats', aggregate: 'stats', group: 'stats', filter: 'where', project: 'fields', select: 'fields' },
  ...{
    keep: 'fields',
    table: 'fields',
    drop: 'omit',
    remove: 'omit',
    take: 'limit',
    head: 'limit',
    order: 'sort',
    orderby: 'sort',
  },
  ...{
    distinct: 'dedup',
    uniq: 'dedup',
    eval: 'extend',
    let: 'extend',
    mutate: 'extend',
    unpack: 'parse',
    rex: 'parse',
  },
  ...{ in_flight: 'concurrency', inflight: 'concurrency', surrounding: 'context' },
  ...{ log: 'logs', span: 'spans', trace: 'traces', metrics: 'metric', profile: 'profiles', flag: 'flags' },
};

/** The valid keyword that a word probably means: one with a similar spelling, or one with this name in another language. */
export function meantKeyword(word: string, fitting: Iterable<string>): string | undefined {
  const words = [...fitting].filter((label) => keywords.has(label));
  const foreign = FOREIGN[word.toLowerCase()];
  if (foreign !== undefined && words.includes(foreign)) return foreign;
  return nearest(word, words);
}

interface Token extends Range {
  readonly text: string;
  readonly isWord: boolean;
}

const WORD = /^[\p{L}_@µ][\p{L}\p{N}_@]*/u;
const SYMBOL = /^(?:==|!=|<=|>=|=~|!~|>>|->|\.\.|"(?:[^\\"\n]|\\[^\n])*"?|[\s\S])/;

function tokenAt(text: string, at: number): Token | undefined {
  const rest = text.slice(at, at + 200);
  const word = WORD.exec(rest)?.[0];
  const found = word ?? SYMBOL.exec(rest)?.[0];
  return found === undefined
    ? undefined
    : { start: at, end: at + found.length, text: found, isWord: word !== undefined };
}

/** The word that ends before `at`, apart from white space, and the character before that word. */
function wordBefore(text: string, at: number): (Token & { readonly before: string }) | undefined {
  const match = /([\p{L}_@µ][\p{L}\p{N}_@]*)\s*$/u.exec(text.slice(0, at));
  const word = match?.[1];
  if (match === null || word === undefined) return undefined;
  const before = text.slice(0, match.index).trimEnd().at(-1) ?? '';
  return { start: match.index, end: match.index + word.length, text: word, isWord: true, before };
}

/**
 * Explains a syntax failure: what is wrong, where, and what was probably meant. The cause may be the word before the
 * failure: `wher duration` fails at `duration`, since any name may be an aggregate used as a stage.
 */
export function explainFailure(text: string, failure: SyntaxFailure): Finding {
  return (
    fractionOfPercent(text, failure) ??
    formElsewhere(text, failure) ??
    misspelledSlot(text, failure) ??
    missingBracketBefore(text, failure) ??
    unexpected(text, failure)
  );
}

/** `p99.5(duration)` */
function fractionOfPercent(text: string, { at }: SyntaxFailure): Finding | undefined {
  const start = Math.max(0, at - 8);
  const match = /\bp(\d{1,2}\.\d{1,6})(?:\s*\(([^()\n]{0,200})\))?/.exec(text.slice(start, at + 220));
  if (!match || start + match.index > at) return undefined;
  const range = { start: start + match.index, end: start + match.index + match[0].length };
  const level = Number((Number(match[1]) / 100).toFixed(10));
  const call = `quantile(${match[2] ?? 'duration'}, ${level})`;
  const message = `\`p${match[1]}\` is written \`${call}\`.`;
  return { name: 'UNEXPECTED', message, range, suggestion: replaceWith(range, call) };
}

function misspelledSlot(text: string, { at }: SyntaxFailure): Finding | undefined {
  const word = wordBefore(text, at);
  if (word === undefined || keywords.has(word.text)) return undefined;
  const isStage = word.before === '|';
  if (!isStage && word.before !== '' && word.before !== ';' && word.before !== '(') return undefined;
  const prefix = isStage || word.before !== '(' ? text.slice(0, word.start) : '';
  const meant = meantKeyword(word.text, expectedAt(prefix));
  if (isStage && /^[\s]*[([]/.test(text.slice(word.end))) return undefined;
  if (isStage && AGGREGATE_WORDS.has(word.text)) return undefined;
  if (meant === undefined && !isStage) return undefined;
  const slot = isStage ? 'stage' : 'source';
  return {
    name: isStage ? 'UNKNOWN_STAGE' : 'UNKNOWN_SOURCE',
    message: `There is no ${slot} \`${word.text}\`${meant === undefined ? '.' : `; did you mean \`${meant}\`?`}`,
    range: word,
    ...(meant === undefined ? {} : { suggestion: replaceWith(word, meant) }),
  };
}

/** `count( by x`: a keyword was read as a field because a bracket is still open. */
function missingBracketBefore(text: string, { at, expected }: SyntaxFailure): Finding | undefined {
  const word = wordBefore(text, at);
  if (word === undefined || !keywords.has(word.text) || !expected.has(')')) return undefined;
  const token = tokenAt(text, at);
  if (token !== undefined && !token.isWord) return undefined;
  return {
    name: 'MISSING',
    message: 'A `)` is missing.',
    range: word,
    suggestion: insertAt(word.start, ') ', 'insert )'),
  };
}

function unexpected(text: string, { at, expected }: SyntaxFailure): Finding {
  const token = tokenAt(text, at);
  if (token?.text === '|' && text[at - 1] === '|') return doubledBar({ start: at - 1, end: at + 1 });
  const range: Range = token ?? { start: at, end: at };
  if (token === undefined && text.trim() === '') {
    const message = 'A query begins with a source: logs, spans, traces, events, links, metric, profiles or flags.';
    return { name: 'MISSING', message, range };
  }
  const closing = [')', '}', ']'].find((bracket) => expected.has(bracket));
  const atBoundary = token === undefined || ['|', '>>', ';'].includes(token.text);
  if (closing !== undefined && atBoundary) {
    const place = text.slice(0, at).trimEnd().length;
    return { name: 'MISSING', message: `A \`${closing}\` is missing.`, range, suggestion: insertAt(place, closing) };
  }
  const suggestion = token && helping(text, at, meant(text, token, expected));
  const what = token === undefined ? 'The query ends too early' : `\`${token.text}\` does not fit here`;
  const hint = suggestion === undefined ? expectation(expected) : `: ${suggestion.text}`;
  return { name: 'UNEXPECTED', message: `${what}${hint}`, range, ...(suggestion ? { suggestion } : {}) };
}

/** A suggestion with which the text is valid further than without it; others mislead. */
function helping(text: string, at: number, suggestion: Suggestion | undefined): Suggestion | undefined {
  if (suggestion === undefined) return undefined;
  const { start, end, text: added } = suggestion.edit;
  const corrected = text.slice(0, start) + added + text.slice(end);
  if (corrected === text) return undefined;
  const next = firstFailure(corrected);
  // The place of the first failure, in the corrected text.
  const moved = Math.max(at, end) + added.length - (end - start);
  return next === undefined || next.at > moved ? suggestion : undefined;
}

function meant(text: string, token: Token, expected: ReadonlySet<string>): Suggestion | undefined {
  if (token.text === '=' && expected.has('==')) return replaceWith(token, '==', 'equality is `==`');
  if (token.text.startsWith("'")) return singleQuotes(text, token);
  const lower = token.text.toLowerCase();
  if (lower === 'desc' || lower === 'asc') return sortDirection(text, token, lower === 'desc');
  if (token.text === '&' || lower === 'and') return symbolWord(text, token, '&', 'and');
  const elsewhere = operatorElsewhere(text, token, lower);
  if (elsewhere) return elsewhere;
  if (token.isWord) {
    const fitting = [...expected].filter((label) => keywords.has(label));
    // A short word is near to many others.
    const isLong = token.text.length > 2;
    const near = fitting.includes(lower) ? lower : isLong ? nearest(token.text, fitting) : undefined;
    if (near !== undefined) return replaceWith(token, near, `did you mean \`${near}\`?`);
    if (keywords.has(token.text) && expected.has('|'))
      return insertAt(token.start, '| ', `a \`|\` is missing before \`${token.text}\``);
  }
  if (expected.has(',') && startsItem(token))
    return insertAt(text.slice(0, token.start).trimEnd().length, ',', 'a `,` is missing');
  return undefined;
}

/** Whether something in a list can begin so; operators and signs of other languages do not. */
function startsItem({ text, isWord }: Token): boolean {
  return isWord || /^["`\d(]/.test(text);
}

/** Operators of other languages, and how OQL writes them. */
function operatorElsewhere(text: string, token: Token, lower: string): Suggestion | undefined {
  const rest = text.slice(token.start, token.start + 300);
  const field = /(?:`[^`\n]*`|[\p{L}\p{N}_.@])+\s*$/u.exec(
    text.slice(Math.max(0, token.start - 200), token.start),
  )?.[0];
  if ((lower === 'like' || lower === 'ilike') && field) {
    const pattern = /^\w+\s+(?:"([^"\n]*)"|'([^'\n]*)')/.exec(rest);
    const range = { start: token.start - field.length, end: token.start + (pattern?.[0].length ?? lower.length) };
    const condition = likeCondition(field.trim(), pattern?.[1] ?? pattern?.[2] ?? '');
    return pattern ? replaceWith(range, condition, `instead of \`like\` write \`${condition}\``) : undefined;
  }
  const isNull = lower === 'is' ? /^is\s+(not\s+)?null/i.exec(rest) : null;
  if (isNull) {
    const written = isNull[1] ? 'exists' : '== null';
    const range = { start: token.start, end: token.start + isNull[0].length };
    return replaceWith(range, written, `\`${isNull[0]}\` is written \`${written}\``);
  }
  if (token.text === '>' && text[token.start - 1] === '<') {
    return replaceWith({ start: token.start - 1, end: token.end }, '!=', 'inequality is `!=`');
  }
  const matches = /^(?:matches\s+regex|matches|rlike|regexp|regex)\b/i.exec(rest);
  if (matches) {
    const range = { start: token.start, end: token.start + matches[0].length };
    return replaceWith(range, '=~', 'a regular expression is matched with `=~`');
  }
  return undefined;
}

function doubledBar(range: Range): Finding {
  const message = '`||` does not fit here: alternatives are joined with `or`';
  return { name: 'UNEXPECTED', message, range, suggestion: replaceWith(range, 'or') };
}

function symbolWord(text: string, token: Token, symbol: string, word: string): Suggestion | undefined {
  if (token.isWord) return replaceWith(token, word, `did you mean \`${word}\`?`);
  const end = text[token.end] === symbol ? token.end + 1 : token.end;
  return replaceWith({ start: token.start, end }, word, `conditions are joined with \`${word}\``);
}

function singleQuotes(text: string, token: Token): Suggestion {
  const whole = /^'([^'\n]*)'/.exec(text.slice(token.start));
  if (whole === null) return replaceWith(token, '"', 'use double quotes for strings');
  const range = { start: token.start, end: token.start + whole[0].length };
  return replaceWith(range, JSON.stringify(whole[1]), 'use double quotes for strings');
}

/** `sort time desc` is `sort -time`. */
function sortDirection(text: string, token: Token, descending: boolean): Suggestion {
  const head = text.slice(0, token.start);
  const operand = /(?:`[^`\n]*`|[\p{L}\p{N}_.@`])+\s*$/u.exec(head);
  const start = operand?.index ?? token.start;
  const field = text.slice(start, token.start).trim();
  const label = descending ? `descending order is \`-${field || 'field'}\`` : 'ascending order is the default';
  return replaceWith({ start, end: token.end }, `${descending ? '-' : ''}${field}`, label);
}

function expectation(expected: ReadonlySet<string>): string {
  const labels = [...expected];
  if (labels.length === 0 || labels.length > 12) return '.';
  return `; expected ${labels.map((label) => (label.startsWith('a ') ? label : `\`${label}\``)).join(', ')}.`;
}
