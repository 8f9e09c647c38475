import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Suite } from '../product.ts';

/** By what was measured. */
export type Figures = Readonly<Record<string, number>>;

export interface Result {
  readonly suite: Suite;
  readonly product: string;
  /** Why there are no figures. */
  readonly missing?: string;
  readonly figures: Figures;
}

/** Results of earlier runs in a file, so that a table can be measured one product at a time. */
export function readResults(file: string | undefined): Result[] {
  if (file === undefined || !existsSync(file)) return [];
  return JSON.parse(readFileSync(file, 'utf8')) as Result[];
}

/** The results with this one in the place of an earlier one of the same product and suite. */
export function withResult(results: readonly Result[], result: Result): Result[] {
  return [...results.filter((each) => each.suite !== result.suite || each.product !== result.product), result];
}

export function writeResults(file: string | undefined, results: readonly Result[]): void {
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}
