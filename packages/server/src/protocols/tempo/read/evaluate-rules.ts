import type { ResultValue } from '@fanion/oql';
import { relatedSpans, type TraceTree } from './relation-rules.ts';
import { comparisons } from './traceql/comparisons.ts';
import type { CompareOperator, Expression, Scalar, Spanset, Stage, Static } from './traceql/tree.ts';
import { writtenExpression, writtenScalar } from './traceql/written.ts';

/** A trace whose spans the store has judged: values by span and column. */
export interface JudgedTrace {
  readonly tree: TraceTree;
  readonly values: readonly (readonly ResultValue[])[];
}

/** Spans of a trace by their places in it, and what is known of all of them. */
export interface SpanSet {
  readonly spans: readonly number[];
  readonly attributes: readonly (readonly [key: string, value: ResultValue])[];
}

type Columns = ReadonlyMap<Expression, number>;

/** The sets of spans that a pipeline leaves of a trace. */
export function evaluateStages(stages: readonly Stage[], trace: JudgedTrace, columns: Columns): SpanSet[] {
  const whole: SpanSet = { spans: trace.values.map((_, i) => i), attributes: [] };
  return stages.reduce((sets, stage) => evaluateStage(stage, sets, trace, columns), [whole]);
}

function evaluateStage(stage: Stage, sets: SpanSet[], trace: JudgedTrace, columns: Columns): SpanSet[] {
  switch (stage.kind) {
    case 'spanset':
      return sets
        .map((set) => ({ ...set, spans: spansOf(stage.spanset, set.spans, trace, columns) }))
        .filter(({ spans }) => spans.length > 0);
    case 'scalar':
      return sets.flatMap((set) => {
        const seen: [string, number][] = [];
        const [left, right] = [stage.left, stage.right].map((one) => scalarOf(one, set, trace, columns, seen));
        if (left === undefined || right === undefined || !holds(stage.operator, left, right)) return [];
        return [{ ...set, attributes: [...set.attributes, ...seen] }];
      });
    case 'by':
      return sets.flatMap((set) => grouped(set, stage.key, trace, columns));
    case 'coalesce':
      return sets.length === 0 ? [] : [{ spans: merged(sets.map(({ spans }) => spans)), attributes: [] }];
    case 'select':
      return sets;
  }
}

function grouped(set: SpanSet, key: Expression, trace: JudgedTrace, columns: Columns): SpanSet[] {
  const groups = new Map<string, { value: ResultValue; spans: number[] }>();
  for (const span of set.spans) {
    const value = valueAt(key, span, trace, columns);
    const id = JSON.stringify(value);
    const known = groups.get(id);
    if (known === undefined) groups.set(id, { value, spans: [span] });
    else known.spans.push(span);
  }
  const name = `by(${writtenExpression(key)})`;
  return [...groups.values()].map(({ value, spans }) => ({ spans, attributes: [...set.attributes, [name, value]] }));
}

function valueAt(of: Expression, span: number, { values }: JudgedTrace, columns: Columns): ResultValue {
  return values[span]?.[columns.get(of) ?? -1] ?? null;
}

const merged = (lists: readonly (readonly number[])[]) => [...new Set(lists.flat())].sort((a, b) => a - b);

function spansOf(spanset: Spanset, among: readonly number[], trace: JudgedTrace, columns: Columns): number[] {
  switch (spanset.kind) {
    case 'filter':
      return among.filter((span) => valueAt(spanset.condition, span, trace, columns) === true);
    case 'pipeline': {
      const start: SpanSet[] = [{ spans: among, attributes: [] }];
      const sets = spanset.stages.reduce((of, stage) => evaluateStage(stage, of, trace, columns), start);
      return merged(sets.map(({ spans }) => spans));
    }
    case 'operation': {
      const left = spansOf(spanset.left, among, trace, columns);
      const right = spansOf(spanset.right, among, trace, columns);
      if (spanset.operator === '&&') return left.length > 0 && right.length > 0 ? merged([left, right]) : [];
      if (spanset.operator === '||') return merged([left, right]);
      return relatedSpans(spanset.operator, left, right, trace.tree);
    }
  }
}

function scalarOf(
  scalar: Scalar,
  set: SpanSet,
  trace: JudgedTrace,
  columns: Columns,
  seen: [string, number][],
): number | undefined {
  switch (scalar.kind) {
    case 'static':
      return numberOf(scalar.static);
    case 'negative': {
      const value = scalarOf(scalar.operand, set, trace, columns, seen);
      return value === undefined ? undefined : -value;
    }
    case 'arithmetic': {
      const left = scalarOf(scalar.left, set, trace, columns, seen);
      const right = scalarOf(scalar.right, set, trace, columns, seen);
      return left === undefined || right === undefined ? undefined : computed(scalar.operator, left, right);
    }
    case 'aggregate': {
      const { aggregate } = scalar;
      const value =
        aggregate.fn === 'count'
          ? set.spans.length
          : aggregated(
              aggregate.fn,
              set.spans
                .map((span) => valueAt(aggregate.of, span, trace, columns))
                .filter((one) => typeof one === 'number'),
            );
      if (value !== undefined) seen.push([writtenScalar(scalar), value]);
      return value;
    }
  }
}

function aggregated(fn: 'min' | 'max' | 'avg' | 'sum', values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  const sum = () => values.reduce((total, value) => total + value, 0);
  switch (fn) {
    case 'min':
      return values.reduce((least, value) => Math.min(least, value));
    case 'max':
      return values.reduce((most, value) => Math.max(most, value));
    case 'sum':
      return sum();
    case 'avg':
      return sum() / values.length;
  }
}

function numberOf(of: Static): number | undefined {
  if (of.type === 'int' || of.type === 'float') return Number(of.value);
  return of.type === 'duration' ? Number(of.nanoseconds) : undefined;
}

function computed(operator: string, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    default:
      return left ** right;
  }
}

function holds(operator: CompareOperator, left: number, right: number): boolean {
  return operator !== '=~' && operator !== '!~' && comparisons[operator](left, right);
}
