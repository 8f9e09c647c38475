import { parser } from '@prometheus-io/lezer-promql';
import type { Position } from '../ast.ts';
import { parseError } from './fault.ts';
import { syntaxFault } from './syntax-fault.ts';

export type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (child.name !== 'LineComment') found.push(child);
  return found;
}

export function positionOf({ from, to }: SyntaxNode, text: string): Position {
  return { from, to, text };
}

/** @throws PromqlError at the first place that Prometheus' grammar does not allow */
export function treeOf(text: string): SyntaxNode {
  const tree = parser.parse(withoutFinalPoints(text));
  let broken: SyntaxNode | undefined;
  tree.iterate({
    enter(reference) {
      if (reference.type.isError) broken ??= reference.node;
    },
  });
  const [top] = childrenOf(tree.topNode);
  if (top === undefined || text.replaceAll(/#[^\n]*/g, '').trim() === '')
    throw parseError('no expression found in input', { from: 0, to: 0, text });
  if (broken !== undefined) throw syntaxFault(text, broken);
  return top;
}

/** Go's `2.` is a number, which the grammar does not know. Positions stay the same. */
function withoutFinalPoints(text: string): string {
  const parts = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|#[^\n]*|(?<![\w.])(\d+)\.(?![\w.])/gs;
  return text.replace(parts, (part, digits?: string) => (digits === undefined ? part : `${digits} `));
}
