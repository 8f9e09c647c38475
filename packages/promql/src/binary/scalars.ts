import { ABSENT, type Column, columnOf, copyPoint, FLOAT, setFloat, unlessEmpty } from '../columns.ts';
import { PromqlError } from '../error.ts';
import type { Work } from '../work.ts';
import {
  ARITHMETIC,
  COMPARISONS,
  changesMeaning,
  hasOnlyFloats,
  type Operation,
  operate,
  sideOf,
} from './operators.ts';

export function scalarWithScalar({ op }: Operation, left: Float64Array, right: Float64Array): Float64Array {
  const calculate = ARITHMETIC.get(op);
  const compare = COMPARISONS.get(op);
  if (calculate === undefined && compare === undefined)
    throw new PromqlError('execution', `operator ${JSON.stringify(op)} not allowed for Scalar operations`);
  return left.map((value, step) => {
    const other = right[step] ?? 0;
    return calculate === undefined ? Number(compare?.(value, other)) : calculate(value, other);
  });
}

/** A vector and a scalar, which stands on the left or right of the operator. */
export function vectorWithScalar(
  operation: Operation,
  columns: readonly Column[],
  scalar: Float64Array,
  scalarSide: 'left' | 'right',
  work: Work,
): Promise<Column[]> {
  const drops = changesMeaning(operation.op, operation.bool);
  return work.map(columns, scalar.length, (column) => {
    const out = columnOf(column.labels, column.dropsName || drops, scalar.length);
    if (hasOnlyFloats(column) && floats(operation, column, scalar, scalarSide, out)) return unlessEmpty(out);
    for (let step = 0; step < scalar.length; step++) {
      if (column.kinds[step] === ABSENT) continue;
      const number = { kind: FLOAT, value: scalar[step] ?? 0, histogram: undefined };
      const vector = sideOf(column, step);
      const [left, right] = scalarSide === 'left' ? [number, vector] : [vector, number];
      operate(operation, left, right, step, out, column);
    }
    return unlessEmpty(out);
  });
}

/** @returns false for operators that floats do not have */
function floats(
  { op, bool }: Operation,
  column: Column,
  scalar: Float64Array,
  scalarSide: 'left' | 'right',
  out: Column,
): boolean {
  const { kinds, values } = column;
  const calculate = ARITHMETIC.get(op);
  const compare = COMPARISONS.get(op);
  for (let step = 0; step < kinds.length; step++) {
    if (kinds[step] !== FLOAT) continue;
    const [vector, number] = [values[step] ?? 0, scalar[step] ?? 0];
    const isLeft = scalarSide === 'left';
    if (calculate !== undefined) setFloat(out, step, isLeft ? calculate(number, vector) : calculate(vector, number));
    else if (compare !== undefined) {
      const holds = isLeft ? compare(number, vector) : compare(vector, number);
      if (bool) setFloat(out, step, holds ? 1 : 0);
      else if (holds) copyPoint(column, step, out);
    } else return false;
  }
  return true;
}
