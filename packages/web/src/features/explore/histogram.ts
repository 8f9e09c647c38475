import { parse } from '@fanion/oql/syntax';
import type { Result } from '../../telemetry/oql.ts';
import { formatCell, isNumeric } from '../../telemetry/results.ts';

type Stage = NonNullable<ReturnType<typeof parse>['query']>['pipeline']['stages'][number];
type Expression = Extract<Stage, { kind: 'where' }>['predicate'];

/** The counts of a group of rows by the buckets of a field; buckets without rows are left out. */
export interface HistogramSeries {
  readonly label: string;
  /** The lower bound of a bucket, and how many rows it has. */
  readonly bars: readonly { readonly from: number; readonly count: number }[];
}

export interface Histogram {
  /** The field that was divided into buckets. */
  readonly field: string;
  /** The type of the field in OQL. */
  readonly type: string;
  readonly width: number;
  readonly series: readonly HistogramSeries[];
}

/** Stages after the aggregation that keep what its rows mean. */
const KEEPING: ReadonlySet<string> = new Set(['sort', 'where', 'limit', 'top']);

/** The result of `histogram(FIELD, WIDTH)`; undefined: the query ends otherwise. */
export function histogramOf(query: string, { columns, rows }: Pick<Result, 'columns' | 'rows'>): Histogram | undefined {
  const stages = parse(query).query?.pipeline.stages ?? [];
  const stage = stages.findLast(({ kind }) => !KEEPING.has(kind));
  if (stage?.kind !== 'aggregate' || stage.name.text !== 'histogram') return undefined;
  const [field, step] = stage.args?.items ?? [];
  const width = step && widthOf(step);
  const bucket = columns.findIndex(({ name }) => name === 'bucket');
  const count = columns.findIndex(({ name }) => name === 'count');
  const type = columns[bucket]?.type ?? '';
  if (field === undefined || width === undefined || count === -1 || !isNumeric(type)) return undefined;
  const keys = columns.map((_, index) => index).filter((index) => index !== bucket && index !== count);
  const groups = new Map<string, { from: number; count: number }[]>();
  for (const row of rows) {
    const from = Number(row[bucket] ?? Number.NaN);
    if (!Number.isFinite(from)) continue;
    const label = keys.map((key) => formatCell(row[key], columns[key]?.type ?? 'any')).join(' · ');
    const bars = groups.get(label) ?? [];
    bars.push({ from, count: Number(row[count]) });
    groups.set(label, bars);
  }
  const series = [...groups].map(([label, bars]) => ({ label, bars: bars.toSorted((a, b) => a.from - b.from) }));
  return { field: query.slice(field.start, field.end), type, width, series };
}

/** The width of a bucket in the unit of the field: nanoseconds, bytes, or plain. */
function widthOf(step: Expression): number | undefined {
  const width =
    step.kind === 'duration'
      ? Number(step.nanoseconds)
      : step.kind === 'bytes'
        ? Number(step.bytes)
        : step.kind === 'int' || step.kind === 'float'
          ? Number(step.value)
          : 0;
  return width > 0 && Number.isFinite(width) ? width : undefined;
}
