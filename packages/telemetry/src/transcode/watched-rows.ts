import { uint32At, WireReader } from '../wire/reader.ts';
import type { Block } from './block.ts';

/** A number point as the store has it: times in milliseconds since the epoch, with nanoseconds apart. */
export interface StoredPoint {
  readonly series: bigint;
  readonly time: number;
  readonly nanos: number;
  /** 0, with no nanoseconds: unknown. */
  readonly start: number;
  readonly startNanos: number;
  readonly value: number;
  /** Whether the value is rounded, from an integer beyond 2^53. */
  readonly isRounded: boolean;
}

/** The columns of points that {@link pointsOf} reads. */
export const pointColumns = ['series', 'time', 'start_time', 'value', 'integer', 'nanos', 'start_nanos'] as const;
export const POINT_BYTES = 48;

/** The points in rows of a SELECT of {@link pointColumns} in RowBinary. */
export function* pointsOf(rows: Uint8Array): Generator<StoredPoint> {
  const view = new DataView(rows.buffer, rows.byteOffset, rows.byteLength);
  for (let at = 0; at < rows.length; at += POINT_BYTES)
    yield pointAt(view, [at, at + 8, at + 16, at + 24, at + 32, at + 40, at + 44]);
}

/**
 * Visits the points of a block of `metric_points`, without marks that a series has ended.
 * @param isWatched which metrics are looked for; only if there are any, the rows are read
 */
export function eachPoint(
  { body, rows, starts }: Block,
  isWatched: (metric: string) => boolean,
  visit: (workspace: number, metric: string, point: StoredPoint) => void,
): void {
  const startOf = (name: string) => starts?.get(name) ?? Number.NaN;
  const metrics = dictionaryAt(body, startOf('metric'));
  const wanted = metrics.texts.map(isWatched);
  if (!wanted.includes(true)) return;
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  const [workspaceAt, missingAt] = [startOf('workspace'), startOf('no_recorded_value')];
  // A block in which no point has nanoseconds or large integers lacks the columns.
  const columns = pointColumns.map((name) => starts?.get(name));
  for (let row = 0; row < rows; row++) {
    const index = metrics.indexAt(row);
    if (wanted[index] !== true || body[missingAt + row] !== 0) continue;
    const at = columns.map((start, i) => start && start + row * (i < 5 ? 8 : 4));
    visit(uint32At(body, workspaceAt + 4 * row), metrics.texts[index] ?? '', pointAt(view, at));
  }
}

/** As in `tables.ts`: those of number points come first. */
const KINDS_OF_NUMBERS = 2;

/**
 * Whether a block of `metric_series` describes a series of a metric that has no number points, such as a histogram. It may also say so of a metric
 * whose name is in another text of a row.
 */
export function describesOthers({ body }: Pick<Block, 'body'>, metric: string): boolean {
  const name = Buffer.from(metric);
  for (let at = body.indexOf(name); at >= 0; at = body.indexOf(name, at + 1)) {
    // After the metric come the id of the series, in 8 bytes, and its kind.
    const kind = body[at + name.length + 8];
    if (kind !== undefined && kind >= KINDS_OF_NUMBERS) return true;
  }
  return false;
}

/** @param at the values of {@link pointColumns}; undefined: 0 */
function pointAt(view: DataView, at: readonly (number | undefined)[]): StoredPoint {
  const [series = 0, time = 0, start = 0, value = 0, integer, nanos, startNanos] = at;
  return {
    series: view.getBigUint64(series, true),
    time: wholeAt(view, time),
    nanos: nanos === undefined ? 0 : view.getUint32(nanos, true),
    start: wholeAt(view, start),
    startNanos: startNanos === undefined ? 0 : view.getUint32(startNanos, true),
    value: view.getFloat64(value, true),
    isRounded: integer !== undefined && wholeAt(view, integer) !== 0,
  };
}

/** Whole milliseconds, which a double holds exactly. */
function wholeAt(view: DataView, at: number): number {
  return view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
}

/** What `DictionaryColumn` writes: the width of indexes, texts, indexes. */
function dictionaryAt(body: Buffer, at: number) {
  const width = 1 << (body[at] as number);
  const reader = new WireReader(body);
  reader.position = at + 16;
  const texts = Array.from({ length: uint32At(body, at + 8) }, () => {
    const length = reader.varint();
    reader.position += length;
    return body.toString('utf8', reader.position - length, reader.position);
  });
  const first = reader.position + 8;
  return { texts, indexAt: (row: number) => body.readUIntLE(first + row * width, width) };
}
