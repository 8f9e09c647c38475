import type { Range } from '../syntax/ast.ts';

/** A position in the text: 0-based UTF-16 offsets, the end exclusive; line and column count from 1. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly column: number;
}

/** A range with the line and column of its start; never beyond the text. */
export function spanOf(text: string, range: Range): Span {
  const start = Math.min(Math.max(range.start, 0), text.length);
  const end = Math.min(Math.max(range.end, start), text.length);
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < start; at = text.indexOf('\n', at + 1)) {
    line++;
    lineStart = at + 1;
  }
  return { start, end, line, column: start - lineStart + 1 };
}
