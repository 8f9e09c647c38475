import type { Annotations } from '../annotations.ts';
import type { BinaryOperator, Position } from '../ast.ts';
import { type Column, copyPoint, setFloat, setHistogram } from '../columns.ts';
import { add, divide, isEqual, multiply, subtract } from '../histogram/arithmetic.ts';
import type { NativeHistogram } from '../histogram/native-histogram.ts';
import { trimmed } from '../histogram/trim.ts';
import { power } from '../numbers.ts';

export const ARITHMETIC: ReadonlyMap<BinaryOperator, (a: number, b: number) => number> = new Map([
  ['+', (a: number, b: number) => a + b],
  ['-', (a: number, b: number) => a - b],
  ['*', (a: number, b: number) => a * b],
  ['/', (a: number, b: number) => a / b],
  ['%', (a: number, b: number) => a % b],
  ['^', power],
  ['atan2', Math.atan2],
]);

export const COMPARISONS: ReadonlyMap<BinaryOperator, (a: number, b: number) => boolean> = new Map([
  ['==', (a: number, b: number) => a === b],
  ['!=', (a: number, b: number) => a !== b],
  ['<', (a: number, b: number) => a < b],
  ['<=', (a: number, b: number) => a <= b],
  ['>', (a: number, b: number) => a > b],
  ['>=', (a: number, b: number) => a >= b],
]);

/** Operators after which the name of the metric no longer fits. */
export function changesMeaning(op: BinaryOperator, isBool: boolean): boolean {
  return isBool || ARITHMETIC.has(op);
}

/** How two values are combined, and where notes about them belong. */
export interface Operation {
  readonly op: BinaryOperator;
  readonly bool: boolean;
  readonly notes: Annotations;
  readonly at: Position;
}

/** One side of an operation at a step: a column, or a number. */
export interface Side {
  readonly kind: number;
  readonly value: number;
  readonly histogram: NativeHistogram | undefined;
}

export function sideOf(column: Column, step: number): Side {
  return {
    kind: column.kinds[step] ?? 0,
    value: column.values[step] ?? 0,
    histogram: column.histograms?.[step],
  };
}

/** Writes what an operation makes of two values, if anything. Comparisons keep the value of `kept`. */
export function operate(operation: Operation, left: Side, right: Side, step: number, out: Column, kept: Column): void {
  if (left.histogram !== undefined || right.histogram !== undefined) {
    operateHistograms(operation, left, right, step, out, kept);
    return;
  }
  const compare = COMPARISONS.get(operation.op);
  if (compare !== undefined) {
    const holds = compare(left.value, right.value);
    if (operation.bool) setFloat(out, step, holds ? 1 : 0);
    else if (holds) copyPoint(kept, step, out);
    return;
  }
  const calculate = ARITHMETIC.get(operation.op);
  if (calculate === undefined) reportTypes(operation, left, right);
  else setFloat(out, step, calculate(left.value, right.value));
}

function reportTypes({ op, notes, at }: Operation, left: Side, right: Side): void {
  const type = ({ histogram }: Side) => (histogram === undefined ? 'float' : 'histogram');
  notes.incompatibleTypes(type(left), op, type(right), at);
}

function operateHistograms(
  operation: Operation,
  left: Side,
  right: Side,
  step: number,
  out: Column,
  kept: Column,
): void {
  const { op, bool } = operation;
  if ((op === '==' || op === '!=') && left.histogram !== undefined && right.histogram !== undefined) {
    const holds = isEqual(left.histogram, right.histogram) === (op === '==');
    if (bool) setFloat(out, step, holds ? 1 : 0);
    else if (holds) copyPoint(kept, step, out);
    return;
  }
  const result = calculated(operation, left, right);
  if (result === 'incompatible') reportTypes(operation, left, right);
  else if (result !== undefined) setHistogram(out, step, result);
}

function calculated(
  operation: Operation,
  { histogram: left, value: leftValue }: Side,
  { histogram: right, value: rightValue }: Side,
): NativeHistogram | 'incompatible' | undefined {
  const { op } = operation;
  if (left !== undefined && right !== undefined)
    return op === '+' || op === '-' ? combined(operation, left, right) : 'incompatible';
  if (left !== undefined) {
    if (op === '*') return multiply(left, rightValue);
    if (op === '/') return divide(left, rightValue);
    if (op === '</' || op === '>/') return trimmed(left, rightValue, op === '</' ? 'below' : 'above');
  } else if (right !== undefined && op === '*') return multiply(right, leftValue);
  return 'incompatible';
}

function combined(
  { op, notes, at }: Operation,
  left: NativeHistogram,
  right: NativeHistogram,
): NativeHistogram | undefined {
  const result = op === '+' ? add(left, right) : subtract(left, right);
  const name = op === '+' ? 'addition' : 'subtraction';
  if (result === undefined) {
    notes.incompatibleBuckets(op, at);
    return undefined;
  }
  if (result.collision) {
    notes.resetCollision(name, at);
    return undefined;
  }
  if (result.changedBounds) notes.changedBounds(name, at);
  return op === '+' ? result.histogram : { ...result.histogram, counterReset: 'gauge' };
}

/** Whether all points of two columns are floats, which needs no objects. */
export function hasOnlyFloats(column: Column): boolean {
  return column.histograms === undefined;
}
