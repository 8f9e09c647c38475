import { decodeRow, type ResultColumn, type ResultValue } from '@fanion/oql';

/** What about two answers need not be equal to the last digit. */
export interface Leeway {
  /** How far numbers of a column may be apart, as a share of the larger one: sketches. @default 1e-9 */
  readonly within?: Readonly<Record<string, number>>;
  /** Columns of which any value is right: an example. */
  readonly any?: readonly string[];
}

interface Answers {
  readonly columns: readonly ResultColumn[];
  readonly ours: readonly (readonly unknown[])[];
  readonly byHand: readonly (readonly unknown[])[];
}

const usualLeeway = 1e-9;

/**
 * What two statements answered, each row as the API would give it, is compared row by row; the columns of the one by hand stand
 * in the same order.
 * @returns the first difference in words; undefined where there is none
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
