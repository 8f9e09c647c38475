import type { Binary, BinaryOperator, Expression, Unary, VectorMatching } from '../ast.ts';
import { parseError } from './fault.ts';
import { stringOf } from './literals.ts';
import { childrenOf, positionOf, type SyntaxNode } from './tree.ts';

const operators: ReadonlySet<string> = new Set<BinaryOperator>([
  '+',
  '-',
  '*',
  '/',
  '%',
  '^',
  'atan2',
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '</',
  '>/',
  'and',
  'or',
  'unless',
]);

function isOperator(text: string): text is BinaryOperator {
  return operators.has(text);
}

export function binaryOf(node: SyntaxNode, left: Expression, right: Expression, text: string): Binary | Unary {
  const parts = childrenOf(node);
  const [, sign] = parts;
  const op = sign === undefined ? '' : text.slice(sign.from, sign.to).toLowerCase();
  if (!isOperator(op))
    throw parseError(`binary expression does not support operator ${JSON.stringify(op)}`, positionOf(node, text));
  if (parts.some(({ name }) => name === 'FillModifier'))
    throw parseError('binop fill modifiers are experimental and not enabled', positionOf(node, text));
  const clause = parts.find(({ name }) => name === 'MatchingModifierClause');
  const binary: Binary = {
    kind: 'binary',
    op,
    bool: parts.some(({ name }) => name === 'BoolModifier'),
    ...(clause && { matching: matchingOf(clause, text) }),
    left,
    right,
    position: { from: left.position.from, to: right.position.to, text },
  };
  // The grammar reads a sign with its number, but a power binds closer: -2 ^ 2 is -4.
  if (op === '^' && left.kind === 'number' && text[left.position.from] === '-') {
    const base = { ...left, value: -left.value, position: { ...left.position, from: left.position.from + 1 } };
    return { kind: 'unary', op: '-', of: { ...binary, left: base }, position: binary.position };
  }
  return binary;
}

function matchingOf(clause: SyntaxNode, text: string): VectorMatching {
  const parts = childrenOf(clause);
  const lists = parts.filter(({ name }) => name === 'GroupingLabels').map((list) => labelsOf(list, text));
  const side = parts.some(({ name }) => name === 'GroupLeft')
    ? 'left'
    : parts.some(({ name }) => name === 'GroupRight')
      ? 'right'
      : undefined;
  return {
    mode: parts[0]?.name === 'On' ? 'on' : 'ignoring',
    labels: lists[0] ?? [],
    ...(side && { group: { side, include: lists[1] ?? [] } }),
  };
}

export function labelsOf(list: SyntaxNode, text: string): string[] {
  return childrenOf(list).map((label) => {
    const written = text.slice(label.from, label.to);
    return label.name === 'QuotedLabelName' ? stringOf(written, positionOf(label, text)) : written;
  });
}
