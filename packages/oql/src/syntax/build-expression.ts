import type { SyntaxNode } from '@lezer/common';
import type * as Ast from './ast.ts';
import { child, firstChild, keywordsOf, rangeOf, type Text } from './cursor.ts';
import { parseBytes, parseDuration, parseMonths, parseString, parseTimestamp } from './literals.ts';

type Builder = (node: SyntaxNode, text: Text) => Ast.Expression;

const written = (node: SyntaxNode, text: Text) => text.source.slice(node.from, node.to);

/** One for each expression node of the grammar. */
const builders: Readonly<Record<string, Builder>> = {
  String: (node, text) => ({ kind: 'string', value: parseString(written(node, text)), ...rangeOf(node) }),
  Int: (node, text) => ({ kind: 'int', value: BigInt(written(node, text)), ...rangeOf(node) }),
  Float: (node, text) => ({ kind: 'float', value: Number(written(node, text)), ...rangeOf(node) }),
  Duration: (node, text) => ({ kind: 'duration', nanoseconds: parseDuration(written(node, text)), ...rangeOf(node) }),
  Months: (node, text) => ({ kind: 'months', months: parseMonths(written(node, text)), ...rangeOf(node) }),
  Bytes: (node, text) => ({ kind: 'bytes', bytes: parseBytes(written(node, text)), ...rangeOf(node) }),
  InvalidNumber: (node) => ({ kind: 'invalid', ...rangeOf(node) }),
  Timestamp: (node, text) => ({
    kind: 'timestamp',
    nanoseconds: parseTimestamp(written(node, text)) ?? 0n,
    ...rangeOf(node),
  }),
  true: (node) => ({ kind: 'bool', value: true, ...rangeOf(node) }),
  false: (node) => ({ kind: 'bool', value: false, ...rangeOf(node) }),
  null: (node) => ({ kind: 'null', ...rangeOf(node) }),
  Path: (node, text) => pathOf(node, text),
  Param: (node, text) => ({ kind: 'param', name: written(node, text).slice(1).trim(), ...rangeOf(node) }),
  Call: buildCall,
  Over: buildOver,
  Scalar: (node, text) => ({
    kind: 'scalar',
    pipeline: text.pipeline(child(node, 'Pipeline') ?? node),
    ...rangeOf(node),
  }),
  Paren: (node, text) => operand(node, text, 0),
  Or: (node, text) => ({ kind: 'or', operands: flattened(node, text, 'or'), ...rangeOf(node) }),
  And: (node, text) => ({ kind: 'and', operands: flattened(node, text, 'and'), ...rangeOf(node) }),
  Not: (node, text) => ({ kind: 'not', operand: operand(node, text, 0), ...rangeOf(node) }),
  Neg: (node, text) => ({ kind: 'negate', operand: operand(node, text, 0), ...rangeOf(node) }),
  Exists: (node, text) => ({ kind: 'exists', operand: operand(node, text, 0), ...rangeOf(node) }),
  Comparison: buildComparison,
  Between: (node, text) => ({
    kind: 'between',
    value: operand(node, text, 0),
    low: operand(node, text, 1),
    high: operand(node, text, 2),
    ...rangeOf(node),
  }),
  In: buildIn,
  Sum: (node, text) => buildArithmetic(node, text, 'ArithOp'),
  Product: (node, text) => buildArithmetic(node, text, 'MulOp'),
};

/** The expressions among a node's direct children, in order. */
export function childExpressions(node: SyntaxNode, text: Text): Ast.Expression[] {
  const found: Ast.Expression[] = [];
  for (let at = node.firstChild; at; at = at.nextSibling) {
    const build = Object.hasOwn(builders, at.name) ? builders[at.name] : undefined;
    if (build) found.push(build(at, text));
  }
  return found;
}

function operand(node: SyntaxNode, text: Text, index: number): Ast.Expression {
  return childExpressions(node, text)[index] ?? { kind: 'null', ...rangeOf(node) };
}

/** `(a and b) and c` is one chain of three: redundant brackets are dropped. */
function flattened(node: SyntaxNode, text: Text, kind: 'or' | 'and'): Ast.Expression[] {
  return childExpressions(node, text).flatMap((item) => (item.kind === kind ? item.operands : [item]));
}

export function pathOf(node: SyntaxNode, text: Text): Ast.Path {
  const segments: string[] = [];
  const index: (string | bigint)[] = [];
  for (let at = node.firstChild; at; at = at.nextSibling) {
    if (at.name === 'Name') segments.push(written(at, text));
    if (at.name === 'QuotedName') segments.push(written(at, text).replace(/^`|`$/g, ''));
    if (at.name === 'Index') {
      const inner = child(at, 'String');
      const number = child(at, 'Int');
      if (inner) index.push(parseString(written(inner, text)));
      else if (number) index.push(BigInt(written(number, text)));
    }
  }
  return { kind: 'path', segments, ...(index.length > 0 ? { index } : {}), ...rangeOf(node) };
}

/** The name that a node introduces (`let NAME`, `as NAME`, `NAME{…}`). */
export function definitionOf(node: SyntaxNode, text: Text): Ast.Name | undefined {
  const definition = child(node, 'Definition');
  return definition && { ...rangeOf(definition), text: written(definition, text) };
}

/** The numeric literal at an index among a node's expressions. */
export function numberOf(node: SyntaxNode, text: Text, index: number): Ast.NumberLiteral {
  const literal = operand(node, text, index);
  switch (literal.kind) {
    case 'int':
    case 'float':
    case 'duration':
    case 'months':
    case 'bytes':
      return literal;
    default:
      return { kind: 'invalid', start: literal.start, end: literal.end };
  }
}

function buildOver(node: SyntaxNode, text: Text): Ast.Expression {
  const range = rangeOf(node);
  const call = buildCall(child(node, 'Call') ?? node, text);
  const words = keywordsOf(node);
  if (words.has('all')) return { kind: 'over', call, frame: { kind: 'all', ...range }, ...range };
  const amount = numberOf(node, text, 1);
  const at = { start: amount.start, end: range.end };
  if (words.has('buckets')) return { kind: 'over', call, frame: { kind: 'buckets', count: amount, ...at }, ...range };
  if (words.has('rows')) return { kind: 'over', call, frame: { kind: 'rows', count: amount, ...at }, ...range };
  return { kind: 'over', call, frame: { kind: 'time', duration: amount, ...at }, ...range };
}

function buildCall(node: SyntaxNode, text: Text): Ast.Call {
  const name = child(node, 'Func') ?? node;
  const args = child(node, 'Args');
  return {
    kind: 'call',
    name: { ...rangeOf(name), text: written(name, text) },
    args: {
      ...rangeOf(args ?? node),
      star: args !== undefined && child(args, 'Star') !== undefined,
      items: args ? childExpressions(args, text) : [],
    },
    ...rangeOf(node),
  };
}

const OPERATORS: Readonly<Record<string, Ast.CompareOperator>> = {
  '==': '==',
  '!=': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
  '=~': '=~',
  '!~': '!~',
  has: 'has',
  contains: 'contains',
  startswith: 'startswith',
};

function buildComparison(node: SyntaxNode, text: Text): Ast.Expression {
  let operator: Ast.CompareOperator = '==';
  for (let at = node.firstChild; at; at = at.nextSibling) {
    operator = OPERATORS[at.name === 'CompareOp' ? written(at, text) : at.name] ?? operator;
  }
  return { kind: 'compare', operator, left: operand(node, text, 0), right: operand(node, text, 1), ...rangeOf(node) };
}

function buildIn(node: SyntaxNode, text: Text): Ast.Expression {
  const pipeline = child(node, 'Pipeline');
  const list = child(node, 'List');
  const set: Ast.InSet = pipeline
    ? { kind: 'query', pipeline: text.pipeline(pipeline) }
    : { kind: 'list', items: list ? childExpressions(list, text) : [] };
  const negated = child(node, 'not') !== undefined;
  return { kind: 'in', value: operand(node, text, 0), negated, set, ...rangeOf(node) };
}

function buildArithmetic(node: SyntaxNode, text: Text, operatorNode: string): Ast.Expression {
  const [head, ...operands] = childExpressions(node, text);
  const operators = node.getChildren(operatorNode).map((operator): Ast.ArithmeticOperator => {
    const sign = written(operator, text);
    return sign === '-' || sign === '*' || sign === '/' || sign === '%' ? sign : '+';
  });
  const rest = operands.map((item, i) => ({ operator: operators[i] ?? '+', operand: item }));
  const first = head ?? { kind: 'null', ...rangeOf(firstChild(node) ?? node) };
  // `(a + b) + c` is one chain; `a + (b + c)` stays, since the result of floating-point sums depends on their order.
  if (first.kind === 'arithmetic' && samePrecedence(first, operators[0])) {
    return { kind: 'arithmetic', first: first.first, rest: [...first.rest, ...rest], ...rangeOf(node) };
  }
  return { kind: 'arithmetic', first, rest, ...rangeOf(node) };
}

function samePrecedence(chain: Ast.ExpressionOf<'arithmetic'>, operator: Ast.ArithmeticOperator | undefined): boolean {
  const additive = (sign: Ast.ArithmeticOperator | undefined) => sign === '+' || sign === '-';
  return additive(chain.rest[0]?.operator) === additive(operator);
}
