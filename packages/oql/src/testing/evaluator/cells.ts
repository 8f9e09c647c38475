import type { ResultValue } from '../../result.ts';

/** A value as the evaluator sees it: whole numbers and durations are bigints, floats are numbers. */
export type Cell = null | bigint | number | string | boolean;

/** Stands for a value that the documentation leaves open, such as the largest of values of which one is NaN. */
export const OPEN = Symbol('open');
export type Result = Cell | typeof OPEN;
export type Cells = ReadonlyMap<string, Result>;

/** The evaluator cannot say what the answer is: it depends on an open value, or a whole number does not fit in 64 bits. */
export class Undetermined extends Error {}

/** A value that a stage reads; null if the row has none. */
export function cellOf(cells: Cells, name: string): Cell {
  const cell = cells.get(name) ?? null;
  if (cell === OPEN) throw new Undetermined();
  return cell;
}

export function whole(value: bigint): bigint {
  if (value > 2n ** 63n - 1n || value < -(2n ** 63n)) throw new Undetermined();
  return value;
}

export function isNumeric(cell: Cell): cell is bigint | number {
  return typeof cell === 'bigint' || typeof cell === 'number';
}

/** One whole number in two types is one value, as in a group of an attribute. */
export function canonical(cell: Cell): string {
  if (typeof cell === 'number') return Number.isInteger(cell) ? `number ${BigInt(cell)}` : `number ${cell}`;
  return typeof cell === 'bigint' ? `number ${cell}` : `${typeof cell} ${String(cell)}`;
}

function ofTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Numbers by value, texts by their bytes, and numbers before texts; NaN after all numbers, null last in both directions. */
export function inOrder(a: Cell, b: Cell, descending: boolean): number {
  const place = (cell: Cell) => (cell === null ? 3 : !isNumeric(cell) ? 2 : Number.isNaN(cell) ? 1 : 0);
  if (place(a) !== place(b)) return place(a) - place(b);
  const sign = descending ? -1 : 1;
  if (isNumeric(a) && isNumeric(b)) return a < b ? -sign : a > b ? sign : 0;
  if (a === null || b === null) return 0;
  return sign * ofTexts(String(a), String(b));
}

/** `null == null` holds, and null is neither less nor greater than anything. */
export function compares(operator: string, a: Cell, b: Cell): boolean {
  if (operator === '!=') return !compares('==', a, b);
  if (a === null || b === null) return operator === '==' && a === b;
  if (isNumeric(a) !== isNumeric(b) || (!isNumeric(a) && typeof a !== typeof b)) return false;
  const order =
    isNumeric(a) && isNumeric(b) ? (a < b ? -1 : a > b ? 1 : a >= b ? 0 : Number.NaN) : ofTexts(String(a), String(b));
  switch (operator) {
    case '==':
      return order === 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    default:
      return order >= 0;
  }
}

/** A value in the form of an answer. */
export function answered(cell: Result): ResultValue | typeof OPEN {
  if (cell === OPEN) return OPEN;
  if (typeof cell === 'bigint') return Number.isSafeInteger(Number(cell)) ? Number(cell) : String(cell);
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : String(cell);
  return cell;
}
