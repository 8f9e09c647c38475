import { decodeRow, type ResultColumn, type ResultValue } from '@fanion/oql';

/** Allowed differences between two results. */
export interface Leeway {
  /** Allowed relative difference of a column's numbers, for sketches. @default 1e-9 */
  readonly within?: Readonly<Record<string, number>>;
  /** Columns in which any value is valid, such as examples. */
  readonly any?: readonly string[];
}

interface Answers {
  readonly columns: readonly ResultColumn[];
  readonly ours: readonly (readonly unknown[])[];
  readonly byHand: readonly (readonly unknown[])[];
}

const usualLeeway = 1e-9;

/**
 * Compares the results of two statements row by row, in the API's form; the columns of the hand-written one are in the
 * same order.
 * @returns the first difference in words; undefined if there is none
 */
export function differenceOf(
  { columns, ours, byHand }: Answers,
  { within = {}, any = [] }: Leeway,
): string | undefined {
  // Attributes of metrics come with a letter for their type; the SQL by hand reads their text.
  const handColumns = columns.map((column) =>
    column.type === 'any' ? { ...column, type: 'string' as const } : column,
  );
  if (ours.length !== byHand.length) return `${ours.length} rows, by hand ${byHand.length}`;
  for (const [at, raw] of ours.entries()) {
    const other = byHand[at] ?? [];
    if (other.length !== columns.length) return `${columns.length} columns, by hand ${other.length}`;
    const [row, hand] = [decodeRow(columns, raw), decodeRow(handColumns, other)];
    for (const [i, { name }] of columns.entries()) {
      if (any.includes(name) || alike(row[i], hand[i], within[name] ?? usualLeeway)) continue;
      return `row ${at + 1}, ${name}: ${JSON.stringify(row[i])}, by hand ${JSON.stringify(hand[i])}`;
    }
  }
  return undefined;
}

function alike(a: ResultValue | undefined, b: ResultValue | undefined, within: number): boolean {
  if (typeof a === 'number' && typeof b === 'number')
    return a === b || Math.abs(a - b) <= within * Math.max(Math.abs(a), Math.abs(b));
  return JSON.stringify(a) === JSON.stringify(b);
}
