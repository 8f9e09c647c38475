import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Suite } from '../product.ts';

/** By what was measured. */
export type Figures = Readonly<Record<string, number>>;

export interface Result {
  readonly suite: Suite;
  readonly product: string;
  /** That were sent; undefined where nothing is stored. */
  readonly items?: number | undefined;
  /** Why there are no figures. */
  readonly missing?: string;
  readonly figures: Figures;
}

/** Results of earlier runs in a file, so that a table can be measured one product at a time. */
export function readResults(file: string | undefined): Result[] {
  if (file === undefined || !existsSync(file)) return [];
  return JSON.parse(readFileSync(file, 'utf8')) as Result[];
}

/** The results with this one in the place of an earlier one of the same product, suite and number of items. */
export function withResult(results: readonly Result[], result: Result): Result[] {
  const isEarlier = ({ suite, product, items }: Result) =>
    suite === result.suite && product === result.product && items === result.items;
  return [...results.filter((each) => !isEarlier(each)), result];
}

export function writeResults(file: string | undefined, results: readonly Result[]): void {
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}
