import type { Expression } from '../ast.ts';
import { PromqlError } from '../error.ts';

/** @throws PromqlError in Prometheus' words for a text that is not a valid expression */
export function parsePromql(text: string): Expression {
  throw new PromqlError('parse', 'not parsed yet', { from: 0, to: text.length });
}
