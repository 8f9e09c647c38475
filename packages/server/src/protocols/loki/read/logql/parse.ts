import { matcherOf } from '../pipeline-rules.ts';
import {
  type BinaryOperator,
  type Grouping,
  type LogQuery,
  type Matcher,
  type MetricQuery,
  type Query,
  RANGE_OPERATORS,
  type RangeAggregate,
  type Unwrap,
  type VectorMatching,
  type VectorOperator,
} from './ast.ts';
import { LogqlError } from './error.ts';
import { labelFilterOf, linesOf, matchersOf, stagesOf } from './parse-lines.ts';
import { allNamed, childrenOf, type SyntaxNode, textOf, treeOf } from './tree.ts';
import { durationNs } from './units-rules.ts';

/** @throws LogqlError in words for the user */
export function parseLogql(text: string): Query {
  const [expr] = allNamed(treeOf(text), 'Expr');
  const [top] = expr ? childrenOf(expr) : [];
  if (top?.name === 'LogExpr') return required(linesOf(top, text));
  if (top?.name === 'MetricExpr') return metricOf(top, text);
  throw new LogqlError('parse error at line 1, col 1: syntax error: unexpected end of the query');
}

/** The matchers of a selector such as `{app="x"}`; `{}` selects everything. @throws LogqlError */
export function parseSelector(text: string): readonly Matcher[] {
  if (/^\s*\{\s*\}\s*$/.test(text)) return [];
  const [expr] = allNamed(treeOf(text), 'Expr');
  const [top] = expr ? childrenOf(expr) : [];
  if (top?.name !== 'LogExpr') throw new LogqlError('parse error: a selector such as {app="x"} is expected');
  return linesOf(top, text).matchers;
}

function required(lines: LogQuery): LogQuery {
  // One that does not match a missing label.
  const isBounding = (matcher: Matcher) => !matcherOf(matcher)('');
  if (!lines.matchers.some(isBounding))
    throw new LogqlError(
      'parse error : queries require at least one regexp or equality matcher that does not have an empty-compatible value. For instance, app=~".*" does not meet this requirement, but app=~".+" will',
    );
  return lines;
}

const word = ({ from, to }: SyntaxNode, query: string) => query.slice(from, to);

function metricOf(node: SyntaxNode, query: string): MetricQuery {
  const [inner] = childrenOf(node);
  switch (inner?.name) {
    case 'MetricExpr':
      return metricOf(inner, query);
    case 'RangeAggregationExpr':
      return rangeOf(inner, query);
    case 'VectorAggregationExpr':
      return aggregateOf(inner, query);
    case 'BinOpExpr':
      return binaryOf(inner, query);
    case 'LabelReplaceExpr': {
      const of = childrenOf(inner).find(({ name }) => name === 'MetricExpr');
      if (of === undefined) throw new LogqlError('parse error: label_replace needs a metric query');
      const texts = childrenOf(inner).filter(({ name }) => name === 'String');
      return { kind: 'label_replace', of: metricOf(of, query), texts: texts.map((one) => textOf(one, query)) };
    }
    case 'LiteralExpr':
      return { kind: 'number', value: Number(word(inner, query).replaceAll(/\s/g, '')) };
    case 'VectorExpr':
      return { kind: 'vector', value: numberIn(inner, query) ?? 0 };
    default:
      throw new LogqlError(`${JSON.stringify(word(node, query))} is not supported`);
  }
}

function numberIn(node: SyntaxNode, query: string): number | undefined {
  const found = childrenOf(node).find(({ name }) => name === 'Number');
  return found && Number(word(found, query));
}

function groupingOf(node: SyntaxNode, query: string): Grouping | undefined {
  const found = childrenOf(node).find(({ name }) => name === 'Grouping');
  if (found === undefined) return undefined;
  const mode = childrenOf(found)[0]?.name === 'By' ? 'by' : 'without';
  return { mode, labels: allNamed(found, 'Identifier').map((one) => word(one, query)) };
}

function rangeOf(node: SyntaxNode, query: string): RangeAggregate {
  const children = childrenOf(node);
  const op = children[0] ? word(children[0], query) : '';
  const known = RANGE_OPERATORS.find((one) => one === op);
  if (known === undefined) throw new LogqlError(`${op} is not supported`);
  const inner = children.find(({ name }) => name === 'LogRangeExpr');
  if (inner === undefined) throw new LogqlError(`parse error: ${op} needs a range of lines`);
  const [range] = allNamed(inner, 'Range');
  const [offset] = allNamed(inner, 'OffsetExpr');
  const rangeNs = range && durationNs(word(range, query).slice(1, -1).trim());
  if (rangeNs === undefined || rangeNs <= 0n) throw new LogqlError('parse error: a range such as [5m] is expected');
  const [moved] = offset ? allNamed(offset, 'Duration') : [];
  const grouping = groupingOf(node, query);
  const parameter = numberIn(node, query);
  const unwrap = unwrapOf(inner, query);
  const matchers = allNamed(inner, 'Selector').flatMap((one) => matchersOf(one, query));
  const aggregate: RangeAggregate = {
    ...{ kind: 'range', op: known, rangeNs, offsetNs: (moved && durationNs(word(moved, query))) ?? 0n },
    lines: required({ kind: 'lines', matchers, stages: stagesOf(inner, query) }),
    ...(parameter !== undefined && { parameter }),
    ...(unwrap && { unwrap }),
    ...(grouping && { grouping }),
  };
  checkRange(aggregate);
  return aggregate;
}

const ofLines: readonly string[] = ['count_over_time', 'bytes_over_time', 'bytes_rate'];
const ofEither: readonly string[] = ['rate', 'absent_over_time'];
const grouped: readonly string[] = [
  ...['avg_over_time', 'min_over_time', 'max_over_time', 'first_over_time', 'last_over_time'],
  ...['quantile_over_time', 'stddev_over_time', 'stdvar_over_time'],
];

/** As Loki's `validateGrouping` and `Validate` in `pkg/logql/syntax/ast.go`. */
function checkRange({ op, unwrap, grouping, parameter }: RangeAggregate): void {
  if (unwrap && ofLines.includes(op)) throw new LogqlError(`parse error : invalid aggregation ${op} with unwrap`);
  if (!unwrap && !ofLines.includes(op) && !ofEither.includes(op))
    throw new LogqlError(`parse error : invalid aggregation ${op} without unwrap`);
  if (grouping && !grouped.includes(op))
    throw new LogqlError(`parse error : grouping not allowed for ${op} aggregation`);
  if ((op === 'quantile_over_time') !== (parameter !== undefined))
    throw new LogqlError(
      `parse error : ${op === 'quantile_over_time' ? 'parameter required' : 'parameter not supported'} for operation ${op}`,
    );
}

function unwrapOf(inner: SyntaxNode, query: string): Unwrap | undefined {
  const outer = childrenOf(inner).find(({ name }) => name === 'UnwrapExpr');
  if (outer === undefined) return undefined;
  const filters: SyntaxNode[] = [];
  let node = outer;
  for (let [next] = childrenOf(node); next?.name === 'UnwrapExpr'; [next] = childrenOf(node)) {
    filters.unshift(...childrenOf(node).filter(({ name }) => name === 'LabelFilter'));
    node = next;
  }
  const [conversion] = allNamed(node, 'ConvOp').map((one) => word(one, query));
  const [label] = childrenOf(node).filter(({ name }) => name === 'Identifier');
  return {
    label: label ? word(label, query) : '',
    conversion: conversion === undefined ? 'number' : conversion === 'bytes' ? 'bytes' : 'duration',
    filters: filters.map((one) => labelFilterOf(one, query)),
  };
}

function aggregateOf(node: SyntaxNode, query: string): MetricQuery {
  const children = childrenOf(node);
  const op = (children[0] ? word(children[0], query) : '') as VectorOperator;
  const inner = children.find(({ name }) => name === 'MetricExpr');
  if (inner === undefined) throw new LogqlError(`parse error: ${op} needs a metric query`);
  const parameter = numberIn(node, query);
  const isRanked = op === 'topk' || op === 'bottomk';
  if (isRanked && (parameter === undefined || parameter <= 0))
    throw new LogqlError(`parse error : invalid parameter (must be greater than 0) ${op}`);
  if (!isRanked && parameter !== undefined)
    throw new LogqlError(`parse error : unsupported parameter for operation ${op}(${parameter},`);
  const grouping = groupingOf(node, query);
  return {
    ...{ kind: 'vector_aggregate', op, of: metricOf(inner, query) },
    ...(parameter !== undefined && { parameter }),
    ...(grouping && { grouping }),
  };
}

interface Operator {
  readonly op: BinaryOperator;
  readonly bool: boolean;
  readonly matching?: VectorMatching;
}

/** The tree joins operators as they come, so they are joined anew by what binds closer. */
function binaryOf(node: SyntaxNode, query: string): MetricQuery {
  const parts: (MetricQuery | Operator)[] = chainOf(node, query);
  const joined = (least: number): MetricQuery => {
    let left = parts.shift() as MetricQuery;
    for (;;) {
      const operator = parts[0] as Operator | undefined;
      if (operator === undefined || binds(operator.op) < least) return left;
      parts.shift();
      // Only powers join from the right.
      left = { kind: 'binary', ...operator, left, right: joined(binds(operator.op) + (operator.op === '^' ? 0 : 1)) };
    }
  };
  return joined(0);
}

function binds(op: BinaryOperator): number {
  if (op === 'or') return 1;
  if (op === 'and' || op === 'unless') return 2;
  if (op === '+' || op === '-') return 4;
  if (op === '*' || op === '/' || op === '%') return 5;
  return op === '^' ? 6 : 3;
}

function chainOf(node: SyntaxNode, query: string): (MetricQuery | Operator)[] {
  const children = childrenOf(node);
  const [left, right] = children.filter(({ name }) => name === 'Expr');
  const [operator, modifier] = children.filter(({ name }) => name !== 'Expr');
  if (!left || !right || !operator) throw new LogqlError('parse error: incomplete operation');
  return [...operandOf(left, query), operatorOf(operator, modifier, query), ...operandOf(right, query)];
}

function operandOf(expr: SyntaxNode, query: string): (MetricQuery | Operator)[] {
  const [metric] = childrenOf(expr);
  if (metric?.name !== 'MetricExpr')
    throw new LogqlError('parse error: operations are only possible between metric queries');
  const [inner] = childrenOf(metric);
  return inner?.name === 'BinOpExpr' ? chainOf(inner, query) : [metricOf(metric, query)];
}

function operatorOf(node: SyntaxNode, modifier: SyntaxNode | undefined, query: string): Operator {
  const op = word(node, query) as BinaryOperator;
  const parts = modifier ? childrenOf(modifier) : [];
  const labels = (of: SyntaxNode | undefined) => (of ? allNamed(of, 'LabelName').map((one) => word(one, query)) : []);
  const bool = parts.some(({ name }) => name === 'Bool');
  const at = parts.findIndex(({ name }) => name === 'OnOrIgnoringModifier');
  const match = parts[at];
  if (match === undefined) return { op, bool };
  const side = parts.find(({ name }) => name === 'GroupLeft' || name === 'GroupRight');
  const include = parts.slice(at + 1).find(({ name }) => name === 'GroupingLabels');
  const mode = childrenOf(match)[0]?.name === 'On' ? 'on' : 'ignoring';
  return {
    ...{ op, bool },
    matching: {
      ...{ mode, labels: labels(match) },
      ...(side && { group: { side: side.name === 'GroupLeft' ? 'left' : 'right', include: labels(include) } }),
    },
  };
}
