import type { Labels, SampleSeries } from '@fanion/promql';
import { runInSlices } from '../../../platform/breath.ts';
import { countedInStore } from './counts.ts';
import { type Line, labelOf, labelsOf } from './line-rules.ts';
import { asked, eachLine, type Reader } from './lines.ts';
import type { Grouping, RangeAggregate, Unwrap } from './logql/ast.ts';
import { LogqlError } from './logql/error.ts';
import { bytesOf, durationNs, numberOf } from './logql/units-rules.ts';
import type { Grid } from './parameter-rules.ts';
import { failed } from './parsers-rules.ts';
import { labelFilterOf } from './pipeline-rules.ts';
import { overRanges } from './range-rules.ts';

/** Milliseconds between two steps in the engine, whose times are only numbers of steps. */
export const ENGINE_STEP = 1_000;

/** The series of a function of lines, with a sample for each step that has one. */
export async function seriesOf(reader: Reader, aggregate: RangeAggregate, grid: Grid): Promise<SampleSeries[]> {
  const counted = await countedInStore(reader, aggregate, grid);
  return counted
    ? counted.flatMap(({ labels, values }) => columnOf(labels, values))
    : seriesOfLines(reader, aggregate, grid);
}

async function seriesOfLines(reader: Reader, aggregate: RangeAggregate, grid: Grid): Promise<SampleSeries[]> {
  const sampleOf = samplerOf(aggregate);
  const all = new Map<string, { labels: Labels; times: bigint[]; values: number[] }>();
  const { startNs, stepNs, count } = grid;
  const last = startNs + stepNs * BigInt(count - 1) - aggregate.offsetNs;
  const window = { fromNs: startNs - aggregate.offsetNs - aggregate.rangeNs + 1n, toNs: last + 1n };
  await eachLine(reader, await asked(reader, aggregate.lines, window), window, (line) => {
    const value = sampleOf(line);
    if (value === undefined) return;
    checkErrors(line);
    const labels = groupedLabels(line, aggregate);
    const key = JSON.stringify([...labels]);
    const series = all.get(key) ?? { labels, times: [], values: [] };
    if (!all.has(key)) all.set(key, series);
    if (all.size > reader.limits.series)
      throw new LogqlError(
        `maximum number of series (${reader.limits.series}) reached for a single query (FANION_LOKI_SERIES)`,
      );
    series.times.push(line.timeNs);
    series.values.push(value);
  });
  const found: SampleSeries[] = [];
  for (const { labels, times, values } of all.values()) {
    const columns = { times: BigInt64Array.from(times), values: Float64Array.from(values) };
    found.push(...columnOf(labels, await runInSlices(overRanges(aggregate, columns, grid))));
    reader.signal.throwIfAborted();
  }
  return aggregate.op === 'absent_over_time' ? absent(aggregate, found, count) : found;
}

function columnOf(labels: Labels, values: readonly (number | undefined)[]): SampleSeries[] {
  const steps = values.flatMap((value, step) => (value === undefined ? [] : [{ step, value }]));
  if (steps.length === 0) return [];
  return [
    {
      labels,
      times: Float64Array.from(steps, ({ step }) => step * ENGINE_STEP),
      values: Float64Array.from(steps, ({ value }) => value),
    },
  ];
}

function absent({ lines }: RangeAggregate, found: readonly SampleSeries[], count: number): SampleSeries[] {
  const present = new Set(found.flatMap(({ times }) => [...times]));
  const values = Array.from({ length: count }, (_, step) => (present.has(step * ENGINE_STEP) ? undefined : 1));
  return columnOf(
    new Map(lines.matchers.filter(({ op }) => op === '=').map(({ name, value }) => [name, value])),
    values,
  );
}

/** The value that a line counts with; undefined: it does not count. */
function samplerOf({ op, unwrap }: RangeAggregate): (line: Line) => number | undefined {
  if (unwrap === undefined) return op.startsWith('bytes') ? ({ text }) => Buffer.byteLength(text) : () => 1;
  const read = readerOf(unwrap);
  const filters = unwrap.filters.map(labelFilterOf);
  return (line) => {
    const text = labelOf(line, unwrap.label);
    if (text === undefined) return undefined;
    const value = read(text);
    if (value === undefined)
      failed(line, 'SampleExtractionErr', `${JSON.stringify(text.slice(0, 100))} is not a ${unwrap.conversion}`);
    if (!filters.every((filter) => filter(line))) return undefined;
    return value ?? Number.NaN;
  };
}

function readerOf({ conversion }: Unwrap): (text: string) => number | undefined {
  if (conversion === 'bytes') return bytesOf;
  if (conversion === 'number') return numberOf;
  return (text) => {
    const ns = durationNs(text);
    return ns === undefined ? undefined : Number(ns) / 1e9;
  };
}

function checkErrors(line: Line): void {
  const error = line.parsed.get('__error__');
  if (error)
    throw new LogqlError(
      `pipeline error: '${error}' for series: '${JSON.stringify(Object.fromEntries(labelsOf(line)))}'. Use a label filter to intentionally skip this error. (e.g | __error__!="${error}"). To skip all potential errors you can match empty errors. (e.g __error__="")`,
    );
}

function groupedLabels(line: Line, { grouping, unwrap }: RangeAggregate): Labels {
  const isKept = keeps(grouping);
  const all = [...labelsOf(line)].filter(
    ([name]) => isKept(name) && name !== unwrap?.label && !name.startsWith('__error'),
  );
  return new Map(all);
}

function keeps(grouping: Grouping | undefined): (name: string) => boolean {
  if (grouping === undefined) return () => true;
  const named = new Set(grouping.labels);
  return grouping.mode === 'by' ? (name) => named.has(name) : (name) => !named.has(name);
}
