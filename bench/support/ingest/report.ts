import { cpus } from 'node:os';
import { type Memory, median } from '../load.ts';
import type { Limits } from './limits.ts';
import type { RunResult } from './run.ts';

/** All that is measured of a signal. */
export interface SignalReport {
  signal: string;
  runs: RunResult[];
  limits: Limits | undefined;
  /** At half load. */
  half: { on: RunResult | undefined; off: RunResult | undefined };
  json: RunResult | undefined;
  grpc: RunResult | undefined;
}

type Row = readonly [what: string, cell: (report: SignalReport) => string];

const items = (perSecond: number | undefined) =>
  perSecond === undefined ? '' : Math.round(perSecond).toLocaleString('en');
const number = (value: number | undefined, digits = 1) => (value === undefined ? '' : value.toFixed(digits));
const rate = (run: RunResult | undefined) =>
  run === undefined ? '' : `${items(run.acknowledged)} / ${items(run.stored)}`;
const latency = (run: RunResult | undefined) =>
  run === undefined ? '' : `${number(run.p50)} and ${number(run.p99)} ms`;

function over(report: SignalReport, of: (run: RunResult) => number | undefined): number | undefined {
  const values = report.runs.map(of).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : median(values);
}

function spread(report: SignalReport, of: (run: RunResult) => number): string {
  const values = report.runs.map(of);
  return values.length < 2 ? '' : ` (${items(Math.min(...values))} to ${items(Math.max(...values))})`;
}

function memory(report: SignalReport, when: 'memory' | 'atRest', kind: keyof Memory): string {
  const parts = ['server', 'store', 'control', 'sum'] as const;
  return `${parts
    .map((part) =>
      number(
        over(report, (run) => run[when][part][kind]),
        0,
      ),
    )
    .join(', ')} MiB`;
}

const rows: readonly Row[] = [
  ['acknowledged a second', (r) => items(over(r, (run) => run.acknowledged)) + spread(r, (run) => run.acknowledged)],
  ['acknowledged and stored a second', (r) => items(over(r, (run) => run.stored)) + spread(r, (run) => run.stored)],
  [
    'MB a second, stored',
    (r) =>
      number(
        over(r, (run) => run.megabytes),
        0,
      ),
  ],
  [
    'stored = acknowledged, nothing refused',
    (r) => (r.runs.every((run) => run.exact && run.refused === 0) ? 'yes' : 'NO'),
  ],
  [
    'processor time an item: server, store, sender',
    (r) =>
      (['server', 'store', 'sender'] as const).map((part) => number(over(r, (run) => run.cpu[part]))).join(', ') +
      ' µs',
  ],
  [
    'p50 and p99 of an acknowledgement at full load',
    (r) => `${number(over(r, (run) => run.p50))} and ${number(over(r, (run) => run.p99))} ms`,
  ],
  ['… at half the target, fsync on', (r) => latency(r.half.on)],
  ['… at half the target, fsync off', (r) => latency(r.half.off)],
  [
    "p99 of a dashboard's query at full load",
    (r) =>
      `${number(
        over(r, (run) => run.query),
        0,
      )} ms`,
  ],
  ['… at half the target', (r) => (r.half.on === undefined ? '' : `${number(r.half.on.query, 0)} ms`)],
  [
    'bytes a row on disk as merges leave it',
    (r) =>
      `${number(over(r, (run) => run.merged))} in ${number(
        over(r, (run) => run.parts),
        0,
      )} parts`,
  ],
  ['bytes a row after `OPTIMIZE FINAL`', (r) => number(over(r, (run) => run.optimized))],
  ['… at half the target', (r) => number(r.half.on?.optimized)],
  ['… by columns', (r) => r.runs.at(-1)?.columns ?? ''],
  [
    'highest memory: server with worker, telemetry store, control plane, all at one moment',
    (r) => memory(r, 'memory', 'whole'),
  ],
  ['… of that, their own, without pages of files', (r) => memory(r, 'memory', 'own')],
  ['… with pages that they share counted once', (r) => memory(r, 'memory', 'shared')],
  ['memory ten seconds after all is stored: the same four', (r) => memory(r, 'atRest', 'whole')],
  ['… of that, their own', (r) => memory(r, 'atRest', 'own')],
  ['… with pages that they share counted once', (r) => memory(r, 'atRest', 'shared')],
  ['OTLP/HTTP JSON, acknowledged / stored', (r) => rate(r.json)],
  ['OTLP/gRPC, acknowledged / stored', (r) => rate(r.grpc)],
  ['limit: `writev` and `fdatasync` of the same bytes', (r) => items(r.limits?.written)],
  [
    "limit: the engine's bare insert",
    (r) => (r.limits ? `${items(r.limits.inserted)}, ${number(r.limits.insertMicroseconds)} µs` : ''),
  ],
  [
    'limit: transcoding, one thread',
    (r) => (r.limits ? `${items(r.limits.transcoded)}, ${number(r.limits.transcodeMicroseconds)} µs` : ''),
  ],
  ['bytes an item as it is sent', (r) => number(r.limits?.itemBytes, 0)],
];

/** A Markdown table with a column for each signal. */
export function table(reports: readonly SignalReport[]): string {
  const lines = rows
    .map(([what, cell]) => [what, ...reports.map(cell)])
    .filter(([, ...cells]) => cells.some((cell) => cell !== ''));
  const names = reports.map(
    ({ signal }) => ({ traces: 'spans', logs: 'log records', metrics: 'number points' })[signal] ?? signal,
  );
  return [
    `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`,
    '',
    `| | ${names.join(' | ')} |`,
    `| --- |${names.map(() => ' --- |').join('')}`,
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');
}
