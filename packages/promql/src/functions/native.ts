import { columnOf, setFloat, unlessEmpty } from '../columns.ts';
import { histogramVariance } from '../histogram/moments.ts';
import type { NativeHistogram } from '../histogram/native-histogram.ts';
import type { ColumnFunction } from './numbers.ts';

/** Functions of each histogram; floats are left out. */
export const HISTOGRAM_FUNCTIONS: ReadonlyMap<string, (histogram: NativeHistogram) => number> = new Map([
  ['histogram_avg', ({ sum, count }: NativeHistogram) => sum / count],
  ['histogram_count', ({ count }: NativeHistogram) => count],
  ['histogram_sum', ({ sum }: NativeHistogram) => sum],
  ['histogram_stddev', (histogram: NativeHistogram) => Math.sqrt(histogramVariance(histogram))],
  ['histogram_stdvar', histogramVariance],
]);

export function mapHistograms(of: (histogram: NativeHistogram) => number): ColumnFunction {
  return ({ labels, kinds, histograms }) => {
    const out = columnOf(labels, true, kinds.length);
    histograms?.forEach((histogram, step) => {
      if (histogram !== undefined) setFloat(out, step, of(histogram));
    });
    return unlessEmpty(out);
  };
}
