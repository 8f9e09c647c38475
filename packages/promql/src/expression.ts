import { aggregated } from './aggregate/index.ts';
import type { Binary, Call, Expression, Subquery, VectorSelector } from './ast.ts';
import { matched } from './binary/matching.ts';
import type { Operation } from './binary/operators.ts';
import { scalarWithScalar, vectorWithScalar } from './binary/scalars.ts';
import { setOperation } from './binary/sets.ts';
import { ABSENT, type Column, columnOf, isEmpty, setFloat, setHistogram, type Value } from './columns.ts';
import { absentColumns, absentLabels } from './functions/absent.ts';
import type { RangeFunction } from './functions/range-function.ts';
import { RANGE_FUNCTIONS } from './functions/ranges.ts';
import { callFunction } from './functions/vectors.ts';
import { type Grid, lastOf, subqueryGrid, timeOf } from './grid.ts';
import { multiply } from './histogram/arithmetic.ts';
import { scopeOfArguments } from './histogram/detected-resets.ts';
import { isInvariant } from './invariant.ts';
import { metricOf } from './label-sets.ts';
import { type RangeSeries, RangeWindow, rangeSeriesOf, rangeSeriesOfColumn } from './ranges.ts';
import type { Scope } from './scope.ts';
import { instantColumn } from './select.ts';
import { momentOf, shifted } from './windows.ts';
import type { Work } from './work.ts';

/** Evaluates an expression at each step of a grid. What does not change from step to step is evaluated once. */
export async function valueOver(expression: Expression, grid: Grid, scope: Scope): Promise<Value> {
  if (grid.count > 1 && expression.kind !== 'number' && expression.kind !== 'string' && isInvariant(expression))
    return repeated(await valueAt(expression, { ...grid, count: 1 }, scope), grid.count);
  return valueAt(expression, grid, scope);
}

async function valueAt(expression: Expression, grid: Grid, scope: Scope): Promise<Value> {
  scope.work.check();
  switch (expression.kind) {
    case 'number':
      return { type: 'scalar', values: new Float64Array(grid.count).fill(expression.value) };
    case 'string':
      return { type: 'string', value: expression.value };
    case 'parentheses':
      return valueOver(expression.of, grid, scope);
    case 'selector':
      return vectorOf(await selected(expression, grid, scope, 'values'), grid, scope);
    case 'unary': {
      const value = await valueOver(expression.of, grid, scope);
      return expression.op === '-' ? negative(value) : value;
    }
    case 'binary':
      return vectorOr(await binaryValue(expression, grid, scope), grid, scope);
    case 'aggregate': {
      const parameter = expression.parameter && (await valueOver(expression.parameter, grid, scope));
      const columns = columnsOf(await valueOver(expression.of, grid, scope));
      return vectorOf(await aggregated(expression, columns, parameter, { ...scope, steps: grid.count }), grid, scope);
    }
    case 'call':
      return vectorOr(await callValue(expression, grid, scope), grid, scope);
    case 'subquery':
      throw new Error('a sub-query outside of a function is a matrix');
  }
}

function vectorOf(columns: readonly Column[], grid: Grid, { work }: Scope): Value {
  work.checkPoints(columns.length * grid.count);
  return { type: 'vector', columns };
}

function vectorOr(value: Value, grid: Grid, scope: Scope): Value {
  return value.type === 'vector' ? vectorOf(value.columns, grid, scope) : value;
}

function columnsOf(value: Value): readonly Column[] {
  return value.type === 'vector' ? value.columns : [];
}

function repeated(value: Value, steps: number): Value {
  if (value.type === 'string') return value;
  if (value.type === 'scalar')
    return { type: 'scalar', values: new Float64Array(steps).fill(value.values[0] ?? Number.NaN) };
  const columns = value.columns.map(({ labels, dropsName, kinds, values, histograms }): Column => {
    const histogram = histograms?.[0];
    return {
      labels,
      dropsName,
      kinds: new Uint8Array(steps).fill(kinds[0] ?? ABSENT),
      values: new Float64Array(steps).fill(values[0] ?? 0),
      histograms: histogram && new Array(steps).fill(histogram),
    };
  });
  return { type: 'vector', columns };
}

async function selected(selector: VectorSelector, grid: Grid, scope: Scope, of: 'values' | 'times'): Promise<Column[]> {
  const { times, work, samples } = scope;
  const lookback = {
    grid,
    lookback: times.lookback,
    momentOf: (time: number) => momentOf(selector.shift, time, times.grid),
  };
  const selectedSeries = samples.get(selector) ?? [];
  work.checkPoints(selectedSeries.length * grid.count);
  const columns: Column[] = [];
  for (const series of selectedSeries) {
    const column = instantColumn(series, lookback, of);
    if (!isEmpty(column)) columns.push(of === 'times' ? { ...column, dropsName: true } : column);
    if (work.isDue(grid.count + series.times.length)) await work.pause();
  }
  return columns;
}

function negative(value: Value): Value {
  if (value.type === 'scalar') return { type: 'scalar', values: value.values.map((one) => -one) };
  if (value.type === 'string') return value;
  const columns = value.columns.map((column) => {
    const out = columnOf(column.labels, true, column.kinds.length);
    column.kinds.forEach((kind, step) => {
      const histogram = column.histograms?.[step];
      if (histogram !== undefined) setHistogram(out, step, multiply(histogram, -1));
      else if (kind !== ABSENT) setFloat(out, step, -(column.values[step] ?? 0));
    });
    return out;
  });
  return { type: 'vector', columns };
}

async function binaryValue(binary: Binary, grid: Grid, scope: Scope): Promise<Value> {
  const { op, bool, matching, position } = binary;
  const left = await valueOver(binary.left, grid, scope);
  const right = await valueOver(binary.right, grid, scope);
  const operation: Operation = { op, bool, notes: scope.notes, at: position };
  if (left.type === 'scalar' && right.type === 'scalar')
    return { type: 'scalar', values: scalarWithScalar(operation, left.values, right.values) };
  if (left.type === 'scalar')
    return {
      type: 'vector',
      columns: await vectorWithScalar(operation, columnsOf(right), left.values, 'left', scope.work),
    };
  if (right.type === 'scalar')
    return {
      type: 'vector',
      columns: await vectorWithScalar(operation, columnsOf(left), right.values, 'right', scope.work),
    };
  const [leftColumns, rightColumns] = [columnsOf(left), columnsOf(right)];
  const columns =
    op === 'and' || op === 'or' || op === 'unless'
      ? await setOperation(op, matching, leftColumns, rightColumns, scope.sets, scope.work)
      : await matched(operation, matching, leftColumns, rightColumns, scope.sets, scope.work);
  return { type: 'vector', columns };
}

async function callValue(call: Call, grid: Grid, scope: Scope): Promise<Value> {
  const args = call.args.map(unwrapped);
  const range = args.findIndex(
    (arg) => arg.kind === 'subquery' || (arg.kind === 'selector' && arg.rangeMs !== undefined),
  );
  if (range >= 0) return rangeCall(call, args, range, grid, scope);
  const [first] = args;
  if (call.fn === 'timestamp' && first?.kind === 'selector')
    return { type: 'vector', columns: await selected(first, grid, scope, 'times') };
  const values: Value[] = [];
  const within = await scopeOfArguments(call, scope);
  for (const arg of args) values.push(await valueOver(arg, grid, within));
  return callFunction(call, values, { ...scope, grid });
}

function unwrapped(expression: Expression): Expression {
  return expression.kind === 'parentheses' ? unwrapped(expression.of) : expression;
}

async function rangeCall(
  call: Call,
  args: readonly Expression[],
  index: number,
  grid: Grid,
  scope: Scope,
): Promise<Value> {
  const argument = args[index];
  const maker = RANGE_FUNCTIONS.get(call.fn);
  if (maker === undefined || (argument?.kind !== 'selector' && argument?.kind !== 'subquery'))
    throw new Error(`function without an implementation: ${call.fn}`);
  const scalars: Float64Array[] = [];
  for (const arg of args) {
    if (arg === argument) continue;
    const value = await valueOver(arg, grid, scope);
    if (value.type === 'scalar') scalars.push(value.values);
  }
  const rangeMs = argument.rangeMs ?? 0;
  const atArguments = args[0]?.position ?? call.position;
  const anchorMs = call.fn === 'increase' && argument.kind === 'selector' ? scope.times.anchorMs : 0;
  const context = { rangeMs, anchorMs, scalars, notes: scope.notes, at: argument.position, atArguments };
  const keepsName = call.fn === 'last_over_time' || call.fn === 'first_over_time';
  const columns: Column[] = [];
  const all = await rangeSeries(argument, grid, scope);
  scope.work.checkPoints(all.length * grid.count);
  for (const series of all) {
    const column = columnOf(series.labels, series.dropsName || !keepsName, grid.count);
    const write = maker(context);
    const window = new RangeWindow(series, anchorMs);
    const steps = { grid, rangeMs, momentOf: (time: number) => momentOf(argument.shift, time, scope.times.grid) };
    for (let step = 0; step < grid.count; ) {
      step = writeSteps(steps, step, window, write, column, scope.work);
      if (step < grid.count) await scope.work.pause();
    }
    if (isEmpty(column)) continue;
    columns.push(column);
    if (call.fn === 'rate' || call.fn === 'increase') reportNonCounter(column, series, argument, scope);
  }
  if (call.fn !== 'absent_over_time') return { type: 'vector', columns };
  return { type: 'vector', columns: absentColumns(columns, absentLabels(argument, scope.sets), grid.count) };
}

interface RangeSteps {
  readonly grid: Grid;
  readonly rangeMs: number;
  readonly momentOf: (time: number) => number;
}

/** Moves a window over the steps until a pause is due; returns the next step. */
function writeSteps(
  { grid, rangeMs, momentOf }: RangeSteps,
  from: number,
  window: RangeWindow,
  write: RangeFunction,
  column: Column,
  work: Work,
): number {
  for (let step = from; step < grid.count; step++) {
    const time = timeOf(grid, step);
    const moment = momentOf(time);
    window.moveTo(step, time, moment - rangeMs, moment);
    if (window.floats + window.histograms === 0) continue;
    write(window, column);
    if (work.isDue(window.floats + 20 * window.histograms)) return step + 1;
  }
  return grid.count;
}

function reportNonCounter(column: Column, { labels }: RangeSeries, argument: Expression, { notes }: Scope): void {
  const metric = metricOf(labels);
  if (metric !== '' && column.kinds.includes(1) && !/_(total|sum|count|bucket)$/.test(metric))
    notes.possibleNonCounter(metric, argument.position);
}

/** The samples of a range selector, or the values of a sub-query. */
export async function rangeSeries(
  argument: VectorSelector | Subquery,
  grid: Grid,
  scope: Scope,
): Promise<RangeSeries[]> {
  if (argument.kind === 'selector') return scope.work.map(scope.samples.get(argument) ?? [], 500, rangeSeriesOf);
  const inner = subqueryGrid(
    shifted(argument.shift, grid, scope.times.grid),
    argument.rangeMs,
    argument.stepMs ?? scope.times.subqueryStep,
  );
  if (inner.count === 0) return [];
  scope.work.checkPoints(inner.count);
  const columns = columnsOf(await valueOver(argument.of, inner, { ...scope, isInSubquery: true }));
  return scope.work.map(columns, inner.count, (column) => rangeSeriesOfColumn(column, inner));
}

/** The range that an instant query of a range selector or sub-query is about. */
export function rangeAt(argument: VectorSelector | Subquery, grid: Grid, scope: Scope): { start: number; end: number } {
  const end = momentOf(argument.shift, lastOf(grid), scope.times.grid);
  return { start: end - (argument.rangeMs ?? 0), end };
}
