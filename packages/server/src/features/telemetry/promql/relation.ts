import type { ResultColumn, ResultKind, ResultValue } from '@fanion/oql';
import { type Evaluation, type Labels, METRIC_NAME, type SampleSeries } from '@fanion/promql';
import { createBreath } from '../../../platform/breath.ts';

/** An evaluation as a table, like the answer of a query in OQL. */
export interface PromqlRelation {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly (readonly ResultValue[])[];
  readonly kind: ResultKind;
  /** Whether there are more rows than the limit. */
  readonly truncated: boolean;
  readonly warnings: readonly string[];
}

/**
 * The columns are `time` (only of results over time), the labels of all series, and `value`. Native histograms are not
 * numbers: they are left out, and a warning says so.
 */
export async function relationOf({ result, warnings, infos }: Evaluation, limit: number): Promise<PromqlRelation> {
  const notes = [...warnings, ...infos];
  switch (result.type) {
    case 'scalar':
      return {
        ...single({ name: 'value', type: 'float' }, numberValue(result.value)),
        kind: 'scalar',
        warnings: notes,
      };
    case 'string':
      return { ...single({ name: 'value', type: 'string' }, result.value), kind: 'table', warnings: notes };
    case 'vector': {
      const isNumber = ({ histogram }: { readonly histogram?: unknown }) => histogram === undefined;
      const samples = result.samples.filter(isNumber);
      const names = labelsOf(samples);
      return {
        columns: [...names.map(labelColumn), { name: 'value', type: 'float' }],
        rows: samples.slice(0, limit).map(({ labels, value }) => [...labelValues(labels, names), numberValue(value)]),
        kind: 'table',
        truncated: samples.length > limit,
        warnings: [...notes, ...leftOut(result.samples.length - samples.length)],
      };
    }
    case 'matrix':
      return overTime(result.series, limit, notes);
  }
}

function single(column: ResultColumn, value: ResultValue) {
  return { columns: [column], rows: [[value]], truncated: false };
}

async function overTime(
  series: readonly SampleSeries[],
  limit: number,
  notes: readonly string[],
): Promise<PromqlRelation> {
  const names = labelsOf(series);
  const rows: ResultValue[][] = [];
  const breath = createBreath();
  let all = 0;
  let histograms = 0;
  for (const { labels, times, values, histograms: of } of series) {
    const keys = labelValues(labels, names);
    for (const [at, time] of times.entries()) {
      if (of?.[at] !== undefined) {
        histograms += 1;
        continue;
      }
      all += 1;
      if (all <= limit) rows.push([new Date(time).toISOString(), ...keys, numberValue(values[at] ?? Number.NaN)]);
    }
    await breath();
  }
  return {
    columns: [{ name: 'time', type: 'timestamp' }, ...names.map(labelColumn), { name: 'value', type: 'float' }],
    rows,
    kind: 'timeseries',
    truncated: all > limit,
    warnings: [...notes, ...leftOut(histograms)],
  };
}

function leftOut(histograms: number): string[] {
  return histograms === 0
    ? []
    : [
        `${histograms} samples are native histograms, which are no numbers: use histogram_quantile, histogram_avg or similar`,
      ];
}

/** The labels of any series: the name of the metric, then the others by name. */
function labelsOf(series: readonly { readonly labels: Labels }[]): string[] {
  const names = new Set(series.flatMap(({ labels }) => [...labels.keys()]));
  const hasName = names.delete(METRIC_NAME);
  return [...(hasName ? [METRIC_NAME] : []), ...[...names].sort()];
}

/** A label must not be taken for the time or the value. */
function labelColumn(name: string): ResultColumn {
  return { name: name === 'time' || name === 'value' ? `exported_${name}` : name, type: 'string' };
}

function labelValues(labels: Labels, names: readonly string[]): (string | null)[] {
  return names.map((name) => labels.get(name) ?? null);
}

/** Numbers that JSON does not have are texts, as in answers of OQL. */
export function numberValue(value: number): number | 'NaN' | 'Infinity' | '-Infinity' {
  if (Number.isFinite(value)) return value;
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? 'Infinity' : '-Infinity';
}
