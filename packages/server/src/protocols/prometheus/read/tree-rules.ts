import { type Expression, type LabelMatcher, matchersOf, type TimeShift } from '@fanion/promql';
import { valueText } from './result-json.ts';

/** An expression as Prometheus shows it (`web/api/v1/translate_ast.go`). Of functions, it has only the names. */
export function treeOf(expression: Expression): Readonly<Record<string, unknown>> {
  switch (expression.kind) {
    case 'number':
      return { type: 'numberLiteral', val: valueText(expression.value) };
    case 'string':
      return { type: 'stringLiteral', val: expression.value };
    case 'parentheses':
      return { type: 'parenExpr', expr: treeOf(expression.of) };
    case 'unary':
      return { type: 'unaryExpr', op: expression.op, expr: treeOf(expression.of) };
    case 'call':
      return { type: 'call', func: { name: expression.fn }, args: expression.args.map(treeOf) };
    case 'aggregate':
      return {
        type: 'aggregation',
        op: expression.op,
        expr: treeOf(expression.of),
        param: expression.parameter === undefined ? null : treeOf(expression.parameter),
        grouping: expression.grouping?.labels ?? [],
        without: expression.grouping?.mode === 'without',
      };
    case 'subquery':
      return {
        type: 'subquery',
        expr: treeOf(expression.of),
        range: expression.rangeMs,
        step: expression.stepMs ?? 0,
        ...shiftOf(expression.shift),
      };
    case 'selector':
      return {
        type: expression.rangeMs === undefined ? 'vectorSelector' : 'matrixSelector',
        name: expression.metric ?? '',
        ...(expression.rangeMs !== undefined && { range: expression.rangeMs }),
        matchers: matchersOf(expression).map(matcherOf),
        ...shiftOf(expression.shift),
      };
    case 'binary':
      return binaryOf(expression);
  }
}

function binaryOf({ op, left, right, bool, matching }: Extract<Expression, { kind: 'binary' }>) {
  const cardinality = { left: 'many-to-one', right: 'one-to-many' } as const;
  return {
    type: 'binaryExpr',
    op,
    lhs: treeOf(left),
    rhs: treeOf(right),
    bool,
    matching:
      matching === undefined
        ? null
        : {
            card: matching.group === undefined ? 'one-to-one' : cardinality[matching.group.side],
            labels: matching.labels,
            on: matching.mode === 'on',
            include: matching.group?.include ?? [],
          },
  };
}

function matcherOf({ name, op, value }: LabelMatcher) {
  return { name, value, type: op };
}

function shiftOf({ offsetMs, at }: TimeShift) {
  return {
    offset: offsetMs,
    timestamp: typeof at === 'number' ? at : null,
    startOrEnd: typeof at === 'string' ? at : null,
  };
}
