import type { Aggregate, AggregateOperator, Expression, Position } from '../ast.ts';
import { checkTypes } from '../check/index.ts';
import { isExperimental } from '../functions/signatures.ts';
import { binaryOf, labelsOf } from './binary.ts';
import { parseError } from './fault.ts';
import { isDuration, numberOf, stringOf } from './literals.ts';
import { atOf, offsetOf, rangeOf, subqueryOf } from './modifiers.ts';
import { selectorOf } from './selectors.ts';
import { childrenOf, positionOf, type SyntaxNode, treeOf } from './tree.ts';

/** Longer expressions are generated, and would take long to read. */
const MAX_CHARACTERS = 65_536;
/** Deeper trees could exhaust the stack. */
const MAX_DEPTH = 1_000;

/** @throws PromqlError in Prometheus' words for a text that is not a valid expression */
export function parsePromql(text: string): Expression {
  if (text.length > MAX_CHARACTERS)
    throw parseError(`the expression has more than ${MAX_CHARACTERS} characters`, { from: 0, to: 0, text });
  const expression = expressionOf(treeOf(text), text, 0);
  checkTypes(expression);
  return expression;
}

function expressionOf(node: SyntaxNode, text: string, depth: number): Expression {
  const position = positionOf(node, text);
  if (depth > MAX_DEPTH) throw parseError('the expression is nested too deeply', position);
  const written = text.slice(node.from, node.to);
  const parts = childrenOf(node);
  const inner = (child: SyntaxNode | undefined): Expression => {
    if (child === undefined) throw parseError('unexpected end of input', position);
    return expressionOf(child, text, depth + 1);
  };
  switch (node.name) {
    case 'ParenExpr':
      return { kind: 'parentheses', of: inner(parts[0]), position };
    case 'NumberDurationLiteral': {
      const value = numberOf(written, position);
      return { kind: 'number', value, ...(isDuration(written) && { isDuration: true as const }), position };
    }
    case 'StringLiteral':
      return { kind: 'string', value: stringOf(written, position), position };
    case 'VectorSelector':
      return selectorOf(node, text);
    case 'MatrixSelector':
      return behindLast(inner(parts[0]), (of) => rangeOf(node, of, text));
    case 'SubqueryExpr':
      return behindLast(inner(parts[0]), (of) => subqueryOf(node, of, text));
    case 'OffsetExpr':
      return behindLast(inner(parts[0]), (of) => offsetOf(node, of, text));
    case 'StepInvariantExpr':
      return behindLast(inner(parts[0]), (of) => atOf(node, of, text));
    case 'AnchoredExpr':
      throw parseError('anchored modifier is experimental and not enabled', position);
    case 'SmoothedExpr':
      throw parseError('smoothed modifier is experimental and not enabled', position);
    case 'UnaryExpr':
      return unaryOf(written.startsWith('-') ? '-' : '+', inner(parts[1]), position);
    case 'BinaryExpr':
      return binaryOf(node, inner(parts[0]), inner(parts.at(-1)), text);
    case 'FunctionCall': {
      const [name, body] = parts;
      const fn = name === undefined ? '' : text.slice(name.from, name.to);
      if (isExperimental(fn)) throw parseError(`function ${JSON.stringify(fn)} is not enabled`, position);
      return { kind: 'call', fn, args: body === undefined ? [] : childrenOf(body).map(inner), position };
    }
    case 'AggregateExpr':
      return aggregateOf(node, inner, text);
    default:
      throw parseError(`unexpected ${node.name}`, position);
  }
}

/** A modifier belongs to the last operand before it; the grammar reads it as one of the whole operation: `-a @ 1`, `a + b[5m]`. */
function behindLast(of: Expression, modified: (last: Expression) => Expression): Expression {
  if (of.kind === 'unary') return { ...of, of: behindLast(of.of, modified) };
  if (of.kind === 'binary') return { ...of, right: behindLast(of.right, modified) };
  return modified(of);
}

/** A sign belongs to a number. */
function unaryOf(op: '+' | '-', of: Expression, position: Position): Expression {
  if (of.kind === 'number') return { ...of, value: op === '-' ? -of.value : of.value, position };
  return { kind: 'unary', op, of, position };
}

const aggregateOperators: ReadonlySet<string> = new Set<AggregateOperator>([
  'sum',
  'avg',
  'count',
  'min',
  'max',
  'group',
  'stddev',
  'stdvar',
  'topk',
  'bottomk',
  'quantile',
  'count_values',
]);

function isAggregateOperator(name: string): name is AggregateOperator {
  return aggregateOperators.has(name);
}

function aggregateOf(node: SyntaxNode, inner: (child: SyntaxNode) => Expression, text: string): Aggregate {
  const position = positionOf(node, text);
  const parts = childrenOf(node);
  const [name] = parts;
  const op = name === undefined ? '' : text.slice(name.from, name.to).toLowerCase();
  if (!isAggregateOperator(op))
    throw parseError(
      `${op}() is experimental and must be enabled with --enable-feature=promql-experimental-functions`,
      position,
    );
  const body = parts.find((part) => part.name === 'FunctionCallBody');
  const modifier = parts.find((part) => part.name === 'AggregateModifier');
  const args = body === undefined ? [] : childrenOf(body).map(inner);
  if (args.length === 0) throw parseError('no arguments for aggregate expression provided', position);
  const expected = op === 'topk' || op === 'bottomk' || op === 'quantile' || op === 'count_values' ? 2 : 1;
  const of = args[expected - 1];
  if (args.length !== expected || of === undefined)
    throw parseError(
      `wrong number of arguments for aggregate expression provided, expected ${expected}, got ${args.length}`,
      position,
    );
  const [first] = args;
  const grouping = modifier === undefined ? undefined : groupingOf(modifier, text);
  return {
    kind: 'aggregate',
    op,
    of,
    ...(expected === 2 && first && { parameter: first }),
    ...(grouping && { grouping }),
    position,
  };
}

function groupingOf(modifier: SyntaxNode, text: string): Aggregate['grouping'] {
  const [mode, list] = childrenOf(modifier);
  return { mode: mode?.name === 'Without' ? 'without' : 'by', labels: list === undefined ? [] : labelsOf(list, text) };
}
