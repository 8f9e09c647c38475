import type { Position } from '../ast.ts';
import { PromqlError } from '../error.ts';

/** An error with its place as Prometheus writes it: `1:5: parse error: …`. */
export function parseError(message: string, at: Position): PromqlError {
  return new PromqlError('parse', `${placeOf(at.text, at.from)}: parse error: ${message}`, at);
}

/** Line and column from 1, in characters. */
export function placeOf(text: string, index: number): string {
  const before = text.slice(0, index);
  const line = before.split('\n').length;
  return `${line}:${[...before.slice(before.lastIndexOf('\n') + 1)].length + 1}`;
}
