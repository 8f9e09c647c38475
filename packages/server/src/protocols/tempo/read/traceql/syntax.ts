import { parser } from '@grafana/lezer-traceql';
import type { SyntaxNode } from '@lezer/common';
import { TraceqlError } from './error.ts';

/** A node of the grammar's tree, with the text that it was read from. */
export interface Source {
  readonly text: string;
}

/** Longest query: characters. */
export const maxLength = 8 * 1024;
/** Levels of the grammar's tree: each operand of a chain is one. */
const maxDepth = 1_000;

/** The root of the grammar's tree. @throws {TraceqlError} */
export function syntaxOf(text: string): SyntaxNode {
  if (text.length > maxLength) throw new TraceqlError(`a query has at most ${maxLength} characters`);
  const tree = parser.parse(text);
  const cursor = tree.cursor();
  let depth = 0;
  for (;;) {
    if (cursor.type.isError) throw new TraceqlError(`parse error ${placeOf(text, cursor.from)}`);
    if (cursor.firstChild()) {
      if (++depth > maxDepth) throw new TraceqlError('it is nested too deeply');
      continue;
    }
    while (!cursor.nextSibling()) {
      if (!cursor.parent()) return tree.topNode;
      depth--;
    }
  }
}

function placeOf(text: string, at: number): string {
  const rest = text.slice(at).trim();
  return rest === '' ? 'at the end of the query' : `near ${JSON.stringify(rest.slice(0, 20))}`;
}

const comments = new Set(['LineComment', 'BlockComment']);

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (!comments.has(child.name)) children.push(child);
  return children;
}

export function textOf(node: SyntaxNode, { text }: Source): string {
  return text.slice(node.from, node.to);
}

/** Whether brackets are around the only child of a node. */
export function isBracketed(node: SyntaxNode, children: readonly SyntaxNode[], { text }: Source): boolean {
  const [only] = children;
  return children.length === 1 && only !== undefined && text[node.from] === '(' && only.from > node.from;
}

/** A part of a chain of operators: its operands are read already, its precedence is not. */
export type Part<Operand> =
  | { readonly operand: Operand }
  | { readonly operator: string }
  | { readonly prefix: '-' | '!' };

export interface Precedence<Operand> {
  /** Higher binds more; undefined: no operator. */
  level(operator: string): number | undefined;
  /** Of `-` and `!` in front of an operand. */
  prefixLevel(prefix: '-' | '!'): number;
  isRight(operator: string): boolean;
  join(operator: string, left: Operand, right: Operand): Operand;
  prefixed(prefix: '-' | '!', operand: Operand): Operand;
}

/** The tree of a chain: the grammar has one level for operators of which Tempo's has several (`pkg/traceql/expr.y`). */
export function treeOf<Operand>(parts: readonly Part<Operand>[], precedence: Precedence<Operand>): Operand {
  let at = 0;
  const read = (least: number): Operand => {
    const first = parts[at++];
    let left: Operand;
    if (first !== undefined && 'operand' in first) left = first.operand;
    else if (first !== undefined && 'prefix' in first)
      left = precedence.prefixed(first.prefix, read(precedence.prefixLevel(first.prefix)));
    else throw new TraceqlError('an operand is missing');
    for (;;) {
      const next = parts[at];
      if (next === undefined || !('operator' in next)) return left;
      const level = precedence.level(next.operator);
      if (level === undefined) throw new TraceqlError(`unexpected ${next.operator}`);
      if (level < least) return left;
      at++;
      left = precedence.join(next.operator, left, read(precedence.isRight(next.operator) ? level : level + 1));
    }
  };
  return read(0);
}
