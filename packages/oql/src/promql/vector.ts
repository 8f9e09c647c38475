/** The comparison with a number that a vector ends with. */
export interface Filter {
  readonly op: '>' | '>=' | '<' | '<=' | '==' | '!=';
  readonly threshold: number;
}

/** Points of one metric before they are grouped: one row for each series, or several for a function over time. */
export interface Points {
  /** `metric x | where … | promrate 5m`. */
  readonly stages: readonly string[];
  readonly metric: string;
  /** Whether the counters of a classic histogram are read as histograms. */
  readonly areBuckets: boolean;
}

/** The translation of an instant vector: stages whose rows have its labels and the column `value`. */
export interface Vector {
  readonly stages: readonly string[];
  readonly labels: readonly string[];
  readonly filter?: Filter;
}

/** The stages with the comparison. */
export function stagesOf({ stages, filter }: Vector): readonly string[] {
  return filter === undefined ? stages : [...stages, `where value ${filter.op} ${numberText(filter.threshold)}`];
}

/** The stages as the source of a join or union. */
export function bracketed(vector: Vector): string {
  return `(${stagesOf(vector).join(' | ')})`;
}

/** Numbers are written without an exponent where that is short. */
export function numberText(value: number): string {
  return Object.is(value, -0) ? '0' : String(value);
}

/** OQL writes no infinity and no NaN, and divides to null where PromQL has them. */
export const infinity = 'exp(1000)';
export const notANumber = '(exp(1000) - exp(1000))';
