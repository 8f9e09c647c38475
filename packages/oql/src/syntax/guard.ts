import type { Finding } from '../diagnostics/diagnostic.ts';

/** Limits of a query. Checked before parsing: beyond about 2,800 brackets the parser truncates its own stack. */
export const LIMITS = {
  characters: 64 * 1024,
  depth: 100,
  listLength: 5_000,
  stages: 64,
  pipelines: 32,
  columns: 500,
  /** Nested sub-queries: the store analyzes each one twice as often as the one around it; 20 levels take 10 s. */
  nesting: 10,
  /** Bytes of the statement (ClickHouse, `max_query_size`). */
  statement: 256 * 1024 - 1,
  /** Operands of sums and products together: each is a level of the statement, which ClickHouse walks level by level. */
  operands: 1_000,
  /** Values computed from other rows: each may be a SELECT around the one before (ClickHouse nests 100, `max_subquery_depth`). */
  windows: 60,
  /** Patterns of a `match`, each a step through all spans of a trace. */
  shapes: 32,
  /** Conditions joined by `and` and `or`: each names a field, and with more the parser alone takes longer than 50 ms. */
  conditions: 1_200,
  /** Uses of fields: each is looked up, and may be read from the maps of all types. */
  names: 1_200,
  /** Spans of a trace whose critical path is requested; with more, the query fails. */
  spansOfTrace: 50_000,
  /** Of `context`: records on each side of a match, and matches; with more, the query fails. */
  contextRows: 100,
  contextMatches: 10_000,
  /** Letters compared to find suggestions for unknown names; 10 ms. */
  hintLetters: 1_000_000,
} as const;

/** A bracket, a pipe, a semicolon, a comma, or a word that joins conditions, outside strings, quoted names and comments. */
export interface Mark {
  readonly at: number;
  readonly character: string;
  /** How many brackets are open around it; an opening bracket counts itself. */
  readonly depth: number;
}

const TOKEN =
  /"(?:[^\\"\n]|\\[^\n])*"?|`[^`\n]*`?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[()[\]{}|;,]|(?<![\w.])(?:and|or)(?![\w.])/g;

/** Scans the structure of a text in one pass, even if it does not parse. */
export function scanMarks(text: string): Mark[] {
  const marks: Mark[] = [];
  let depth = 0;
  for (const match of text.matchAll(TOKEN)) {
    const character = match[0];
    const isJoint = character === 'and' || character === 'or';
    if ((character.length > 1 && !isJoint) || character === '"' || character === '`') continue;
    if ('([{'.includes(character)) depth++;
    marks.push({ at: match.index, character, depth });
    if (')]}'.includes(character)) depth = Math.max(0, depth - 1);
  }
  return marks;
}

/** The limit that a text exceeds, or undefined. */
export function checkLimits(text: string): Finding | undefined {
  if (text.length > LIMITS.characters) {
    const range = { start: LIMITS.characters, end: text.length };
    return { name: 'TOO_LARGE', message: `A query has at most ${LIMITS.characters} characters.`, range };
  }
  const commas: number[] = [];
  let pipes = 0;
  let joints = 0;
  for (const { at, character, depth } of scanMarks(text)) {
    const range = { start: at, end: at + 1 };
    if (depth > LIMITS.depth) {
      return { name: 'TOO_DEEP', message: `Brackets may be nested ${LIMITS.depth} deep at most.`, range };
    }
    if ('([{'.includes(character)) commas[depth] = 0;
    if (character === ',') {
      const count = (commas[depth] ?? 0) + 1;
      commas[depth] = count;
      if (count >= LIMITS.listLength) {
        return { name: 'LIST_TOO_LONG', message: `A list has at most ${LIMITS.listLength} items.`, range };
      }
    }
    if ((character === 'and' || character === 'or') && ++joints >= LIMITS.conditions) {
      const message = `A query joins at most ${LIMITS.conditions} conditions. For many values of one field, write \`field in (…)\`.`;
      return { name: 'TOO_LARGE', message, range: { start: at, end: at + character.length } };
    }
    if (character === '|' && ++pipes > LIMITS.stages) {
      return { name: 'TOO_MANY_STAGES', message: `A query has at most ${LIMITS.stages} stages.`, range };
    }
  }
  return undefined;
}
