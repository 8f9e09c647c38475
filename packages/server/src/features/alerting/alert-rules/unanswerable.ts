import type { Row, SampleProblem } from './sample-rules.ts';

/** A rule cannot be evaluated, in words for its owner. Asking again would not help. */
export class Unanswerable extends Error {
  override readonly name = 'Unanswerable';
}

/** @throws `Unanswerable` if two rows have the same labels */
export function requireDistinct(rows: readonly Row[] | SampleProblem): readonly Row[] {
  if (!('problem' in rows)) return rows;
  throw new Unanswerable(`Two rows have the same labels: ${JSON.stringify(rows.labels)}.`);
}
