import type { Binary, BinaryOperator, Expression, VectorMatching } from '../ast.ts';
import { parseError } from './fault.ts';
import { stringOf } from './literals.ts';
import { childrenOf, positionOf, type SyntaxNode } from './tree.ts';

/** How close operators bind. */
const PRECEDENCE: ReadonlyMap<string, number> = new Map<BinaryOperator, number>([
  ['or', 1],
  ['and', 2],
  ['unless', 2],
  ['==', 3],
  ['!=', 3],
  ['<', 3],
  ['<=', 3],
  ['>', 3],
  ['>=', 3],
  ['</', 3],
  ['>/', 3],
  ['+', 4],
  ['-', 4],
  ['*', 5],
  ['/', 5],
  ['%', 5],
  ['atan2', 5],
  ['^', 6],
]);

function isOperator(text: string): text is BinaryOperator {
  return PRECEDENCE.has(text);
}

export function binaryOf(node: SyntaxNode, left: Expression, right: Expression, text: string): Expression {
  const parts = childrenOf(node);
  const [, sign] = parts;
  const op = sign === undefined ? '' : text.slice(sign.from, sign.to).toLowerCase();
  if (!isOperator(op))
    throw parseError(`binary expression does not support operator ${JSON.stringify(op)}`, positionOf(node, text));
  if (parts.some(({ name }) => name === 'FillModifier'))
    throw parseError('binop fill modifiers are experimental and not enabled', positionOf(node, text));
  const clause = parts.find(({ name }) => name === 'MatchingModifierClause');
  const rest = {
    kind: 'binary',
    op,
    bool: parts.some(({ name }) => name === 'BoolModifier'),
    ...(clause && { matching: matchingOf(clause, text) }),
    right,
  } as const;
  return behind(left, rest);
}

/**
 * Puts an operation behind its left operand. The grammar ends an operation at a modifier of its last operand (`a + b @ 1 * 2`), and reads a sign with its number
 * (`-2 ^ 2`): then what binds closer belongs to the last operand only.
 */
function behind(left: Expression, rest: Omit<Binary, 'left' | 'position'>): Expression {
  const { text } = left.position;
  const position = { from: left.position.from, to: rest.right.position.to, text };
  if (left.kind === 'binary' && bindsCloser(rest.op, left.op))
    return { ...left, right: behind(left.right, rest), position };
  if (rest.op === '^' && left.kind === 'unary') return { ...left, of: behind(left.of, rest), position };
  if (rest.op === '^' && left.kind === 'number' && /[+-]/.test(text[left.position.from] ?? '')) {
    const isNegative = text[left.position.from] === '-';
    const base = {
      ...left,
      value: isNegative ? -left.value : left.value,
      position: { ...left.position, from: left.position.from + 1 },
    };
    return { kind: 'unary', op: isNegative ? '-' : '+', of: behind(base, rest), position };
  }
  return { ...rest, left, position };
}

function bindsCloser(op: BinaryOperator, than: BinaryOperator): boolean {
  return (PRECEDENCE.get(op) ?? 0) > (PRECEDENCE.get(than) ?? 0) || (op === '^' && than === '^');
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
