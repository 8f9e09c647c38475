import { type Labels, listedBuckets } from '@fanion/promql';
import { type Answer, type HistogramForm, isAlmost, type Result } from '../../../../../promql/src/testing/compare.ts';

/** A native histogram in an answer, which has neither its schema nor whether it was reset. */
export interface JsonHistogram {
  readonly count: string;
  readonly sum: string;
  readonly buckets?: readonly (readonly [boundaries: number, lower: string, upper: string, count: string])[];
}

interface JsonSeries {
  readonly metric: Record<string, string>;
  readonly value?: readonly [seconds: number, value: string];
  readonly values?: readonly (readonly [seconds: number, value: string])[];
  readonly histogram?: readonly [seconds: number, histogram: JsonHistogram];
  readonly histograms?: readonly (readonly [seconds: number, histogram: JsonHistogram])[];
}

export interface JsonAnswer {
  readonly status: string;
  readonly error?: string;
  readonly warnings?: readonly string[];
  readonly infos?: readonly string[];
  readonly data?: { readonly resultType: string; readonly result: unknown };
}

/** An answer of the HTTP API with its times moved back by `origin`. */
export function answerOf({ data, warnings = [], infos = [] }: JsonAnswer, origin: number): Answer<JsonHistogram> {
  const told = (note: string) => note.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => movedBack(time, origin));
  return { result: resultOf(data, origin), warnings: warnings.map(told), infos: infos.map(told) };
}

/** Some notes tell a time of the query. */
function movedBack(time: string, origin: number): string {
  return new Date(Date.parse(time) - origin).toISOString().replace('.000Z', 'Z');
}

function resultOf(data: JsonAnswer['data'], origin: number): Result<JsonHistogram> {
  if (data?.resultType === 'scalar' || data?.resultType === 'string') {
    const [, value] = data.result as [number, string];
    return data.resultType === 'string' ? { type: 'string', value } : { type: 'scalar', value: numberOf(value) };
  }
  const series = data?.result as readonly JsonSeries[];
  if (data?.resultType === 'matrix')
    return { type: 'matrix', series: series.map((one) => ({ labels: labelsOf(one), ...columnsOf(one, origin) })) };
  const samples = series.map((one) => ({
    labels: labelsOf(one),
    value: one.value === undefined ? Number.NaN : numberOf(one.value[1]),
    histogram: one.histogram?.[1],
  }));
  return { type: 'vector', samples };
}

const labelsOf = ({ metric }: JsonSeries): Labels => new Map(Object.entries(metric));

function columnsOf({ values = [], histograms = [] }: JsonSeries, origin: number) {
  const all = [
    ...values.map(([seconds, value]) => ({ seconds, value: numberOf(value), histogram: undefined })),
    ...histograms.map(([seconds, histogram]) => ({ seconds, value: Number.NaN, histogram })),
  ].sort((a, b) => a.seconds - b.seconds);
  return {
    times: all.map(({ seconds }) => Math.round(seconds * 1000) - origin),
    values: all.map(({ value }) => value),
    histograms: all.map(({ histogram }) => histogram),
  };
}

const numberOf = (text: string) => Number(text.replace('Inf', 'Infinity'));

/** Histograms of the HTTP API: counts, sums and buckets are compared. */
export const jsonForm: HistogramForm<JsonHistogram> = {
  textOf: (histogram) => JSON.stringify(histogram),
  isSame({ histogram }, { count, sum, buckets = [] }) {
    const listed = listedBuckets(histogram);
    return (
      isAlmost(histogram.count, numberOf(count)) &&
      isAlmost(histogram.sum, numberOf(sum)) &&
      listed.length === buckets.length &&
      buckets.every(([boundaries, lower, upper, inside], i) => {
        const one = listed[i];
        return (
          one?.boundaries === boundaries &&
          isAlmost(one.lower, numberOf(lower)) &&
          isAlmost(one.upper, numberOf(upper)) &&
          isAlmost(one.count, numberOf(inside))
        );
      })
    );
  },
};
