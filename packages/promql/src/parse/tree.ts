import { parser } from '@prometheus-io/lezer-promql';
import type { Position } from '../ast.ts';
import { isExperimental } from '../functions/signatures.ts';
import { parseError } from './fault.ts';

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
  if (broken !== undefined) throw faultAt(broken, text);
  return top;
}

/** Go's `2.` is a number, which the grammar does not know. Positions stay the same. */
function withoutFinalPoints(text: string): string {
  const parts = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|#[^\n]*|\b(\d+)\.(?![\w.])/gs;
  return text.replace(parts, (part, digits?: string) => (digits === undefined ? part : `${digits} `));
}

/** What stands around an error, by the node that holds it, in Prometheus' words. */
const contexts: Readonly<Record<string, string>> = {
  LabelMatchers: ' in label matching, expected identifier or "}"',
  UnquotedLabelMatcher: ' in label matching, expected string',
  QuotedLabelMatcher: ' in label matching, expected string',
  GroupingLabels: ' in grouping opts, expected "," or ")"',
  AggregateExpr: ' in aggregation',
  StepInvariantExpr: ' in @, expected timestamp',
  OffsetExpr: ' in offset, expected number or duration',
  MatrixSelector: ' in subquery or range, expected ":" or "]"',
  SubqueryExpr: ' in subquery selector, expected "]"',
};

function faultAt(broken: SyntaxNode, text: string): Error {
  const quote = openQuote(text);
  if (quote !== undefined) return parseError('unterminated quoted string', { from: quote, to: text.length, text });
  const rest = text.slice(broken.from);
  const from = broken.from + rest.length - rest.trimStart().length;
  const called = /([A-Za-z_:][\w:]*)\s*$/.exec(text.slice(0, from))?.[1] ?? /^[A-Za-z_:][\w:]*/.exec(rest)?.[0];
  if (called !== undefined && isCall(text, from, called)) {
    const start = text.lastIndexOf(called, from);
    const at = { from: start, to: start + called.length, text };
    if (isExperimental(called)) return parseError(`function ${JSON.stringify(called)} is not enabled`, at);
    return parseError(`unknown function with name ${JSON.stringify(called)}`, at);
  }
  if (from >= text.length && isOpen(text)) return parseError('unclosed left parenthesis', { from, to: from, text });
  const context = contexts[broken.parent?.name ?? ''] ?? '';
  return parseError(`unexpected ${described(text, from)}${context}`, { from, to: Math.max(from, broken.to), text });
}

function openQuote(text: string): number | undefined {
  const parts = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|#[^\n]*|["'`]/gs;
  return [...text.matchAll(parts)].find(([part]) => part.length === 1 && part !== '#')?.index;
}

function isCall(text: string, from: number, name: string): boolean {
  const end = text.lastIndexOf(name, from) + name.length;
  return /^\s*\(/.test(text.slice(end));
}

function isOpen(text: string): boolean {
  return text.split('(').length > text.split(')').length;
}

function described(text: string, from: number): string {
  const rest = text.slice(from);
  const word = /^[A-Za-z_:][\w:]*/.exec(rest)?.[0];
  if (word !== undefined) return `identifier ${JSON.stringify(word)}`;
  const number = /^[\d.]\w*/.exec(rest)?.[0];
  if (number !== undefined) return `number ${JSON.stringify(number)}`;
  const [character] = rest;
  return character === undefined ? 'end of input' : `character: ${JSON.stringify(character)}`;
}
