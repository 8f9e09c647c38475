import { uint32At } from '../wire/reader.ts';
import type { Block } from './block.ts';
import { tableColumns } from './tables.ts';

/** Metrics whose rows are looked for, each with the workspaces in which they are. */
export type WatchedMetrics = ReadonlyMap<string, ReadonlySet<number>>;

/** Rows of one metric of one workspace, in memory of their own. */
export interface WatchedRows {
  readonly workspace: number;
  readonly metric: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The columns of a point in {@link pointsIn}: it is what a SELECT of them gives in RowBinary. */
export const pointColumns = ['series', 'time', 'start_time', 'value', 'integer', 'nanos', 'start_nanos'] as const;
/** How many of the columns, the first ones, have 8 bytes; the others have 4. */
const LONG_COLUMNS = 5;
export const POINT_BYTES = 48;

/** Bytes of a value by its type in Native; those of {@link TEXTS} have another form. */
const WIDTHS: Readonly<Record<string, number>> = {
  Bool: 1,
  UInt16: 2,
  UInt32: 4,
  UInt64: 8,
  Int64: 8,
  Float64: 8,
  "DateTime64(3, 'UTC')": 8,
};
const TEXTS = 'LowCardinality(String)';

interface Dictionary {
  readonly texts: readonly string[];
  readonly indexesAt: number;
  readonly indexBytes: number;
}

/** Where the columns of a block in Native begin, and its dictionaries. */
interface Columns {
  readonly rows: number;
  readonly at: ReadonlyMap<string, number>;
  readonly dictionaries: ReadonlyMap<string, Dictionary>;
}

/**
 * The points of watched metrics in a block of `metric_points`, without marks that a series has ended.
 * @throws if the block is not as `TableColumns` writes them
 */
export function pointsIn({ body }: Pick<Block, 'body'>, watched: WatchedMetrics): WatchedRows[] {
  const { rows, at, dictionaries } = readColumns(body);
  const metrics = dictionaries.get('metric');
  if (metrics === undefined) throw new Error('a block of points has no metrics');
  const wanted = metrics.texts.map((text) => watched.get(text));
  if (wanted.every((workspaces) => workspaces === undefined)) return [];
  const [workspaceAt, missingAt] = [columnAt(at, 'workspace'), columnAt(at, 'no_recorded_value')];
  // A block in which no point has nanoseconds lacks the columns.
  const parts = pointColumns.map((name, i) => (i < 4 ? columnAt(at, name) : at.get(name)));
  const found = new Map<number, Map<number, number[]>>();
  for (let row = 0; row < rows; row++) {
    const metric = indexAt(body, metrics, row);
    const workspaces = wanted[metric];
    if (workspaces === undefined) continue;
    const workspace = uint32At(body, workspaceAt + 4 * row);
    if (!workspaces.has(workspace) || body[missingAt + row] !== 0) continue;
    let ofMetric = found.get(metric);
    if (ofMetric === undefined) {
      ofMetric = new Map();
      found.set(metric, ofMetric);
    }
    const kept = ofMetric.get(workspace);
    if (kept === undefined) ofMetric.set(workspace, [row]);
    else kept.push(row);
  }
  return [...found].flatMap(([metric, ofMetric]) =>
    [...ofMetric].map(([workspace, kept]) => ({
      workspace,
      metric: metrics.texts[metric] ?? '',
      bytes: gathered(body, parts, kept),
    })),
  );
}

/** The values of columns for some rows, row by row; zeros for a column that there is not. */
function gathered(
  body: Buffer,
  columns: readonly (number | undefined)[],
  rows: readonly number[],
): Uint8Array<ArrayBuffer> {
  const from = new DataView(body.buffer, body.byteOffset, body.length);
  const out = new Uint8Array(rows.length * POINT_BYTES);
  const to = new DataView(out.buffer);
  // Column by column: the values of one are beside each other. Halves, since a double that is no number would lose its bits.
  for (const [column, start] of columns.entries()) {
    if (start === undefined) continue;
    const isLong = column < LONG_COLUMNS;
    const width = isLong ? 8 : 4;
    let end = isLong ? 8 * column : 4 * (column + LONG_COLUMNS);
    for (const row of rows) {
      const at = start + width * row;
      to.setUint32(end, from.getUint32(at, true), true);
      if (isLong) to.setUint32(end + 4, from.getUint32(at + 4, true), true);
      end += POINT_BYTES;
    }
  }
  return out;
}

function columnAt(columns: ReadonlyMap<string, number>, name: string): number {
  const at = columns.get(name);
  if (at === undefined) throw new Error(`a block of points has no column ${name}`);
  return at;
}

function indexAt(body: Buffer, { indexesAt, indexBytes }: Dictionary, row: number): number {
  const at = indexesAt + row * indexBytes;
  if (indexBytes === 1) return body[at] as number;
  return indexBytes === 2 ? (body[at] as number) | ((body[at + 1] as number) << 8) : uint32At(body, at);
}

function readColumns(body: Buffer): Columns {
  const reader = new RowReader(body);
  const count = reader.varint();
  const rows = reader.varint();
  const at = new Map<string, number>();
  const dictionaries = new Map<string, Dictionary>();
  for (let column = 0; column < count; column++) {
    const name = reader.text();
    const type = reader.text();
    const width = WIDTHS[type];
    if (width !== undefined) {
      at.set(name, reader.position);
      reader.position += width * rows;
    } else if (type === TEXTS) dictionaries.set(name, readDictionary(reader));
    else throw new Error(`a block of points has a column of the type ${type}`);
  }
  if (reader.position !== body.length) throw new Error('a block of points has more bytes than columns');
  return { rows, at, dictionaries };
}

/** As `DictionaryColumn` writes it. */
function readDictionary(reader: RowReader): Dictionary {
  reader.position += 8;
  const indexBytes = 1 << (reader.uint32() & 0xff);
  reader.position += 4;
  const texts = Array.from({ length: reader.uint64() }, () => reader.text());
  const rows = reader.uint64();
  const indexesAt = reader.position;
  reader.position += rows * indexBytes;
  return { texts, indexesAt, indexBytes };
}

/** A series as `metric_series` describes it on one day. */
export interface SeriesDescription {
  readonly workspace: number;
  readonly project: number;
  readonly environment: string;
  /** Since the epoch. */
  readonly day: number;
  readonly metric: string;
  readonly series: bigint;
  readonly kind: string;
  readonly temporality: string;
  readonly monotonic: boolean;
  readonly unit: string;
  readonly description: string;
  readonly service: string;
  readonly scopeName: string;
  readonly scopeVersion: string;
  readonly scopeAttributes: ReadonlyMap<string, string>;
  readonly resource: ReadonlyMap<string, string>;
  readonly attributes: ReadonlyMap<string, string>;
  readonly resourceTypes: string;
  readonly scopeTypes: string;
  readonly attributeTypes: string;
}

const KINDS = ['gauge', 'sum', 'histogram', 'exponential_histogram', 'summary'];
const TEMPORALITIES = ['unspecified', 'delta', 'cumulative'];

/** The columns that {@link descriptionsOf} reads, in this order. */
export const seriesColumns = tableColumns.metric_series;

/** The rows of watched metrics in a block of `metric_series`. */
export function descriptionsIn({ body }: Pick<Block, 'body'>, watched: WatchedMetrics): WatchedRows[] {
  const found = new Map<string, { workspace: number; metric: string; rows: Buffer[] }>();
  const reader = new RowReader(body);
  while (reader.position < body.length) {
    const start = reader.position;
    const { workspace, metric } = skipDescription(reader);
    if (watched.get(metric)?.has(workspace) !== true) continue;
    const key = `${workspace} ${metric}`;
    const of = found.get(key) ?? { workspace, metric, rows: [] };
    found.set(key, of);
    of.rows.push(body.subarray(start, reader.position));
  }
  return [...found.values()].map(({ workspace, metric, rows }) => ({
    workspace,
    metric,
    bytes: new Uint8Array(Buffer.concat(rows)),
  }));
}

/** The descriptions in rows of {@link seriesColumns} in RowBinary. */
export function descriptionsOf(rows: Uint8Array): SeriesDescription[] {
  const reader = new RowReader(Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength));
  const found: SeriesDescription[] = [];
  while (reader.position < rows.length) found.push(readDescription(reader));
  return found;
}

/** Reads only whose description it is: a day begins with one of each series. */
function skipDescription(reader: RowReader): { workspace: number; metric: string } {
  const workspace = reader.uint32();
  reader.position += 4;
  reader.skipText();
  reader.position += 4;
  const metric = reader.text();
  reader.position += 11;
  for (const column of seriesColumns.slice(10)) {
    if (column === 'scope_attributes' || column === 'resource' || column === 'attributes') {
      for (let texts = 2 * reader.varint(); texts > 0; texts--) reader.skipText();
    } else if (column.endsWith('_count')) reader.position += 4;
    else reader.skipText();
  }
  return { workspace, metric };
}

function readDescription(reader: RowReader): SeriesDescription {
  const [workspace, project] = [reader.uint32(), reader.uint32()];
  const environment = reader.text();
  // The class of retention.
  reader.position += 2;
  const day = reader.uint16();
  const metric = reader.text();
  const series = reader.id();
  const [kind, temporality, monotonic] = [reader.uint8(), reader.uint8(), reader.uint8()];
  const [unit, description, service] = [reader.text(), reader.text(), reader.text()];
  const [scopeName, scopeVersion, scopeAttributes] = [reader.text(), reader.text(), reader.map()];
  const [resource, attributes] = [reader.map(), reader.map()];
  const resourceTypes = reader.text();
  reader.text();
  reader.position += 4;
  const scopeTypes = reader.text();
  reader.text();
  reader.position += 4;
  const attributeTypes = reader.text();
  return {
    ...{ workspace, project, environment, day, metric, series },
    kind: KINDS[kind] ?? '',
    temporality: TEMPORALITIES[temporality] ?? '',
    monotonic: monotonic !== 0,
    ...{ unit, description, service, scopeName, scopeVersion, scopeAttributes, resource, attributes },
    ...{ resourceTypes, scopeTypes, attributeTypes },
  };
}

/** Reads values of RowBinary one after the other. */
class RowReader {
  readonly #bytes: Buffer;
  position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  uint8(): number {
    return this.#bytes.readUInt8(this.position++);
  }

  uint16(): number {
    this.position += 2;
    return this.#bytes.readUInt16LE(this.position - 2);
  }

  uint32(): number {
    this.position += 4;
    return this.#bytes.readUInt32LE(this.position - 4);
  }

  /** A whole number below 2^53. */
  uint64(): number {
    const low = this.uint32();
    return low + this.uint32() * 2 ** 32;
  }

  id(): bigint {
    this.position += 8;
    return this.#bytes.readBigUInt64LE(this.position - 8);
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.uint8();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  text(): string {
    const length = this.varint();
    this.position += length;
    return this.#bytes.toString('utf8', this.position - length, this.position);
  }

  skipText(): void {
    const length = this.varint();
    this.position += length;
  }

  map(): Map<string, string> {
    const map = new Map<string, string>();
    for (let count = this.varint(); count > 0; count--) {
      const key = this.text();
      const value = this.text();
      // The engine finds the first one of equal keys.
      if (!map.has(key)) map.set(key, value);
    }
    return map;
  }
}
