import type { DashboardPanel } from '@fanion/contract';
import { axisFormat, formatCell, isNumeric } from '../../telemetry/results.ts';
import { formatBytes, formatDuration, formatNumber, formatPercent, unitText } from '../../ui/format/index.ts';
import type { PanelResult } from './panel-data.ts';

/** How the values of a panel are written: by its unit, else by the type of the column. */
export function valueFormat(
  { unit, decimals }: Pick<DashboardPanel, 'unit' | 'decimals'>,
  type: string,
): (value: number) => string {
  const fixed = (value: number) => (decimals === undefined ? formatNumber(value) : value.toFixed(decimals));
  switch (unit) {
    case undefined:
    case '':
      return decimals === undefined || type === 'duration' || type === 'bytes' || type === 'ratio'
        ? axisFormat(type)
        : fixed;
    case 'ns':
      return formatDuration;
    case 'us':
      return (value) => formatDuration(value * 1e3);
    case 'ms':
      return (value) => formatDuration(value * 1e6);
    case 's':
      return (value) => formatDuration(value * 1e9);
    case 'By':
      return formatBytes;
    case '1':
      return formatPercent;
    case '%':
      return (value) => `${fixed(value)}%`;
    default:
      return (value) => `${fixed(value)} ${unitText(unit)}`;
  }
}

export type Level = 'ok' | 'warning' | 'error' | 'neutral';

/** The colour of the highest threshold that a value reaches. */
export function levelOf(value: number, thresholds: DashboardPanel['thresholds'] = []): Level {
  const reached = thresholds.toSorted((a, b) => a.value - b.value).findLast((threshold) => value >= threshold.value);
  return reached?.color ?? 'neutral';
}

/** A number of an answer with the names of its row, and its history if the answer has times. */
export interface Reading {
  readonly label: string;
  readonly type: string;
  readonly value: number | null;
  readonly history: readonly (number | null)[];
}

/** Columns of shares of 1 have the type `ratio`, so that they are written as percentages. */
export function withRatios(
  columns: PanelResult['columns'],
  ratios: ReadonlySet<string> | undefined,
): PanelResult['columns'] {
  return columns.map((column) =>
    column.type === 'float' && ratios?.has(column.name) ? { ...column, type: 'ratio' } : column,
  );
}

const maxReadings = 50;

/** Of an answer over time, the last value of each series; else the measures of each row. @param keys columns that name the row */
export function readingsOf(
  { columns, rows }: Pick<PanelResult, 'columns' | 'rows'>,
  keys: number | undefined,
): Reading[] {
  const time = columns.findIndex(({ type }) => type === 'timestamp');
  const isKey = (index: number) =>
    index === time || (keys === undefined ? !isNumeric(columns[index]?.type ?? '') : index < keys);
  const measures = columns.map((column, index) => ({ ...column, index })).filter(({ index }) => !isKey(index));
  const found = new Map<string, { label: string; type: string; history: (number | null)[] }>();
  for (const row of rows) {
    const names = columns.flatMap(({ type }, index) =>
      isKey(index) && index !== time ? [formatCell(row[index], type)] : [],
    );
    for (const { name, type, index } of measures) {
      const label = [...names, ...(measures.length > 1 || names.length === 0 ? [name] : [])].join(' · ');
      const one = found.get(label) ?? { label, type, history: [] };
      one.history.push(numberOf(row[index]));
      found.set(label, one);
    }
    if (time === -1 && found.size >= maxReadings) break;
  }
  return [...found.values()].slice(0, maxReadings).map(({ label, type, history }) => ({
    label,
    type,
    value: history.findLast((value) => value !== null) ?? null,
    history: time === -1 ? [] : history,
  }));
}

function numberOf(value: unknown): number | null {
  if (value === null || value === undefined || value === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** The rows of each variant without its column, the most rows first; undefined if the panel is not split by a flag. */
export function splitResult(
  result: PanelResult,
): readonly { readonly variant: string; readonly result: PanelResult }[] | undefined {
  const at = result.columns.findIndex(({ name }) => name === result.meta.split);
  if (at === -1) return undefined;
  const rowsOf = new Map<string, unknown[][]>();
  for (const row of result.rows) {
    const variant = formatCell(row[at], 'string');
    const rows = rowsOf.get(variant) ?? [];
    rows.push(row.toSpliced(at, 1));
    rowsOf.set(variant, rows);
  }
  const columns = result.columns.toSpliced(at, 1);
  return [...rowsOf]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([variant, rows]) => ({ variant, result: { ...result, columns, rows } }));
}

/** The cells of a heat map: times by the values of a second key. */
export interface Heat {
  readonly times: readonly number[];
  readonly bands: readonly string[];
  /** By `time band`, as indexes. */
  readonly cells: ReadonlyMap<string, number>;
  readonly most: number;
}

const maxBands = 60;

/** Undefined if the answer has no time, no second key or no number. */
export function heatOf({ columns, rows }: Pick<PanelResult, 'columns' | 'rows'>): Heat | undefined {
  const time = columns.findIndex(({ type }) => type === 'timestamp');
  const value = columns.findLastIndex(({ type }) => isNumeric(type));
  const band = columns.findIndex((_, index) => index !== time && index !== value);
  if (time === -1 || value === -1 || band === -1) return undefined;
  const bandColumn = columns[band];
  const read = rows.map((row) => ({ at: Date.parse(String(row[time])), of: row[band], n: numberOf(row[value]) ?? 0 }));
  const times = withGaps([...new Set(read.map(({ at }) => at))].sort((a, b) => a - b));
  const isOrdered = isNumeric(bandColumn?.type ?? '');
  const values = [...new Set(read.map(({ of }) => of))].sort((a, b) =>
    isOrdered ? Number(b) - Number(a) : String(a).localeCompare(String(b)),
  );
  const shown = values.slice(0, maxBands);
  const cells = new Map<string, number>();
  for (const { at, of, n } of read) {
    const key = `${times.indexOf(at)} ${shown.indexOf(of)}`;
    cells.set(key, (cells.get(key) ?? 0) + n);
  }
  const bands = shown.map((of) => formatCell(of, bandColumn?.type ?? 'any'));
  return { times, bands, cells, most: Math.max(0, ...cells.values()) };
}

const maxTimes = 2_000;

/** Times without data have a column too, so that gaps are gaps. */
function withGaps(times: readonly number[]): readonly number[] {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const step = Math.min(...times.slice(1).map((time, at) => time - (times[at] ?? 0)));
  const count = Math.round((last - first) / step) + 1;
  if (!Number.isFinite(step) || count > maxTimes) return times;
  return Array.from({ length: count }, (_, at) => first + at * step);
}

/** A node of a flame graph, from stacks with values. */
export interface StackNode {
  parent: number | null;
  name: string;
  file: string;
  self: number;
  total: number;
}

const maxNodes = 20_000;

/** Folds stacks, from the root to the leaf, into a tree in pre-order. */
export function treeOfStacks(rows: readonly (readonly unknown[])[]): StackNode[] {
  interface Branch {
    readonly name: string;
    self: number;
    total: number;
    readonly children: Map<string, Branch>;
  }
  const root: Branch = { name: '', self: 0, total: 0, children: new Map() };
  for (const [stack, value] of rows) {
    const weight = numberOf(value) ?? 0;
    let at = root;
    at.total += weight;
    for (const frame of Array.isArray(stack) ? stack : []) {
      const name = String(frame);
      const next = at.children.get(name) ?? { name, self: 0, total: 0, children: new Map() };
      at.children.set(name, next);
      next.total += weight;
      at = next;
    }
    at.self += weight;
  }
  const nodes: StackNode[] = [];
  const waiting: { branch: Branch; parent: number | null }[] = [];
  const push = (branch: Branch, parent: number | null) => {
    const children = [...branch.children.values()].sort((a, b) => a.total - b.total);
    for (const child of children) waiting.push({ branch: child, parent });
  };
  push(root, null);
  for (let next = waiting.pop(); next !== undefined && nodes.length < maxNodes; next = waiting.pop()) {
    const { name, self, total } = next.branch;
    nodes.push({ parent: next.parent, name, file: '', self, total });
    push(next.branch, nodes.length - 1);
  }
  return nodes;
}
