import type { SyntaxNode } from '@lezer/common';
import type { Pipeline, Range } from './ast.ts';

/** The query's text, and the parts of it that replace stages that do not parse. */
export interface Text {
  readonly source: string;
  readonly masked: readonly Range[];
  /** Builds the pipeline inside an expression; a parameter, since expressions and pipelines contain each other. */
  readonly pipeline: (node: SyntaxNode) => Pipeline;
}

export function rangeOf(node: SyntaxNode): Range {
  return { start: node.from, end: node.to };
}

export function child(node: SyntaxNode, name: string): SyntaxNode | undefined {
  return node.getChild(name) ?? undefined;
}

export function children(node: SyntaxNode, name: string): SyntaxNode[] {
  return node.getChildren(name);
}

export function isComment(node: SyntaxNode): boolean {
  return node.name === 'LineComment' || node.name === 'BlockComment';
}

export function firstChild(node: SyntaxNode): SyntaxNode | undefined {
  let at = node.firstChild;
  while (at && isComment(at)) at = at.nextSibling;
  return at ?? undefined;
}

/** The names of all direct children; a keyword's node has the keyword as its name. */
export function keywordsOf(node: SyntaxNode): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = node.firstChild; at; at = at.nextSibling) names.add(at.name);
  return names;
}
