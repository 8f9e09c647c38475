import type { Finding } from '../diagnostics/diagnostic.ts';

/** What a query may be at most. Checked before parsing: past ~2,800 brackets the parser would cut its own stack. */
export const LIMITS = {
  characters: 64 * 1024,
  depth: 100,
  listLength: 5_000,
  stages: 64,
  pipelines: 32,
  columns: 500,
  /** Sub-queries in sub-queries: the store looks at each twice as often as at the one around it, 10 s for 20 of them. */
  nesting: 10,
  /** Of the statement (ClickHouse, `max_query_size`). */
  statement: 256 * 1024 - 1,
  /** Of sums and products together: each is a level of the statement, and a statement is walked level by level. */
  operands: 1_000,
  /** Values made of other rows: each may be a SELECT around the one before (ClickHouse nests 100, `max_subquery_depth`). */
  windows: 60,
  /** Patterns of a `match`, each a step through all spans of a trace. */
  shapes: 32,
  /** How many fields it names, each time it does: each is looked up, and may be read from the maps of all types. */
  names: 1_200,
  /** Of a trace whose critical path is asked for; more make the query fail. */
  spansOfTrace: 50_000,
  /** Letters that are compared to find what unknown names were meant to be; 10 ms. */
  hintLetters: 1_000_000,
} as const;

/** A bracket, a pipe, a semicolon or a comma outside of strings, quoted names and comments. */
export interface Mark {
  readonly at: number;
  readonly character: string;
  /** How many brackets are open around it; an opening bracket counts itself. */
  readonly depth: number;
}

const TOKEN = /"(?:[^\\"\n]|\\[^\n])*"?|`[^`\n]*`?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[()[\]{}|;,]/g;

/** The structure of a text in one pass over it, whether it parses or not. */
export function scanMarks(text: string): Mark[] {
  const marks: Mark[] = [];
  let depth = 0;
  for (const match of text.matchAll(TOKEN)) {
    const character = match[0];
    if (character.length > 1 || character === '"' || character === '`') continue;
    if ('([{'.includes(character)) depth++;
    marks.push({ at: match.index, character, depth });
    if (')]}'.includes(character)) depth = Math.max(0, depth - 1);
  }
  return marks;
}

/** The limit that a text breaks, or undefined. */
export function checkLimits(text: string): Finding | undefined {
  if (text.length > LIMITS.characters) {
    const range = { start: LIMITS.characters, end: text.length };
    return { name: 'TOO_LARGE', message: `A query has at most ${LIMITS.characters} characters.`, range };
  }
  const commas: number[] = [];
  let pipes = 0;
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
    if (character === '|' && ++pipes > LIMITS.stages) {
      return { name: 'TOO_MANY_STAGES', message: `A query has at most ${LIMITS.stages} stages.`, range };
    }
  }
  return undefined;
}
