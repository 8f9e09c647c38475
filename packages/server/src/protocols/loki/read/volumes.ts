import type { Window } from '../../../platform/time-window.ts';
import type { Parameters } from '../../read/request.ts';
import {
  allLabels,
  type CountedLines,
  cellOf,
  countedLines,
  expressionsOf,
  extended,
  rowsOf,
} from './counted-lines.ts';
import type { Reader } from './lines.ts';
import { LogqlError } from './logql/error.ts';
import { gridOf, limitOf, windowOf } from './parameter-rules.ts';

const bytes = 'sum(byte_length(body))';
const mostRows = 50_000;

/** How much a query would read. There are no chunks, so none are counted. */
export async function indexStats(reader: Reader, parameters: Parameters, window: Window) {
  const { oql } = await countedLines(reader, parameters.one('query'), window);
  const texts = await expressionsOf(reader, await allLabels(reader, window), window);
  const by = texts.map((_, at) => `l${at}`).join(', ');
  const ofStreams = `${oql}${extended(texts)} | stats n=count(), b=${bytes}${by === '' ? '' : ` by ${by}`}`;
  const [row] = await rowsOf(reader, `${ofStreams} | stats streams=count(), entries=sum(n), bytes=sum(b)`, window, 1);
  const [streams, entries, size] = row ?? [];
  const isNone = Number(entries ?? 0) === 0;
  return { streams: isNone ? 0 : Number(streams), chunks: 0, bytes: Number(size ?? 0), entries: Number(entries ?? 0) };
}

interface Volume {
  readonly metric: Readonly<Record<string, string>>;
  /** Bytes of lines by step. */
  readonly cells: ReadonlyMap<number, number>;
}

/** Bytes of lines by label, at the end of the window. */
export async function volume(reader: Reader, parameters: Parameters, window: Window) {
  const volumes = await volumesOf(reader, parameters, window, window.toNs - window.fromNs);
  const at = seconds(window.toNs);
  return {
    resultType: 'vector',
    result: volumes.map(({ metric, cells }) => ({ metric, value: [at, String(cells.get(0) ?? 0)] })),
    stats: {},
  };
}

/** The same for each step, at its end. */
export async function volumeRange(reader: Reader, parameters: Parameters, nowMs: number) {
  const window = windowOf(parameters, nowMs);
  const { stepNs } = gridOf(parameters, nowMs, reader.limits.steps);
  const timeOf = (cell: number) => {
    const end = window.fromNs + stepNs * BigInt(cell + 1);
    return seconds(end < window.toNs ? end : window.toNs);
  };
  const result = (await volumesOf(reader, parameters, window, stepNs)).map(({ metric, cells }) => ({
    metric,
    values: [...cells].toSorted(([a], [b]) => a - b).map(([cell, size]) => [timeOf(cell), String(size)]),
  }));
  return { resultType: 'matrix', result, stats: {} };
}

async function volumesOf(reader: Reader, parameters: Parameters, window: Window, stepNs: bigint): Promise<Volume[]> {
  const counted = await countedLines(reader, parameters.one('query'), window);
  const by = parameters.one('aggregateBy') ?? 'series';
  if (by !== 'series' && by !== 'labels') throw new LogqlError('invalid aggregation option');
  const limit = limitOf(parameters, reader.limits.answerLines);
  const targets = parameters
    .one('targetLabels')
    ?.split(',')
    .map((name) => labelName(name.trim()));
  const cells = { window, stepNs };
  const volumes =
    by === 'series'
      ? await ofSeries(reader, counted, targets, cells)
      : await ofLabels(reader, counted, targets ?? (await allLabels(reader, window)), cells);
  const total = new Map(volumes.map((one) => [one, [...one.cells.values()].reduce((sum, size) => sum + size, 0)]));
  const byTotal = (a: Volume, b: Volume) => (total.get(b) ?? 0) - (total.get(a) ?? 0);
  return volumes
    .filter((one) => total.get(one) !== 0)
    .toSorted(byTotal)
    .slice(0, limit);
}

interface Cells {
  readonly window: Window;
  readonly stepNs: bigint;
}

/** By the labels of the selector, or by others that are named, which all must be present then. */
async function ofSeries(
  reader: Reader,
  { oql, matchers }: CountedLines,
  targets: readonly string[] | undefined,
  { window, stepNs }: Cells,
): Promise<Volume[]> {
  const named = targets ?? [...new Set(matchers.map(({ name }) => name))];
  const labels = named.length === 0 ? await allLabels(reader, window) : named;
  const texts = await expressionsOf(reader, labels, window);
  const present = targets === undefined ? '' : labels.map((_, at) => ` | where l${at} != ""`).join('');
  const by = ['cell', ...labels.map((_, at) => `l${at}`)].join(', ');
  const question = `${oql}${cellOf(window, stepNs)}${extended(texts)}${present} | stats b=${bytes} by ${by}`;
  const found = new Map<string, { metric: Record<string, string>; cells: Map<number, number> }>();
  for (const [cell, ...rest] of await rowsOf(reader, question, window, mostRows)) {
    const values = rest.slice(0, labels.length).map((value) => String(value ?? ''));
    const key = JSON.stringify(values);
    const pairs = labels.map((label, at) => [label, values[at] ?? ''] as const).filter(([, value]) => value !== '');
    const known = found.get(key) ?? { metric: Object.fromEntries(pairs), cells: new Map<number, number>() };
    known.cells.set(Number(cell), Number(rest.at(-1)));
    found.set(key, known);
  }
  return [...found.values()];
}

/** By the names of labels: what all lines with the label have. */
async function ofLabels(
  reader: Reader,
  { oql }: CountedLines,
  labels: readonly string[],
  { window, stepNs }: Cells,
): Promise<Volume[]> {
  if (labels.length === 0) return [];
  const texts = await expressionsOf(reader, labels, window);
  const sums = labels.map((_, at) => `b${at}=sum_if(byte_length(body), l${at} != "")`).join(', ');
  const question = `${oql}${cellOf(window, stepNs)}${extended(texts)} | stats ${sums} by cell`;
  const rows = await rowsOf(reader, question, window, mostRows);
  return labels.map((label, at) => ({
    metric: { [label]: '' },
    cells: new Map(
      rows.map((row) => [Number(row[0]), Number(row[at + 1] ?? 0)] as const).filter(([, size]) => size > 0),
    ),
  }));
}

/** With milliseconds, as Prometheus has times. */
function seconds(ns: bigint): number {
  return Number(ns / 1_000_000n) / 1_000;
}

function labelName(text: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) throw new LogqlError(`invalid label name "${text}" in targetLabels`);
  return text;
}
