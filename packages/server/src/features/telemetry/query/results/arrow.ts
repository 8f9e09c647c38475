import type { ResultColumn, ResultValue } from '@fanion/oql';
import { type Field, flatbuffer, type Table } from './flatbuffer.ts';
import type { Batches } from './text.ts';

type Rows = readonly (readonly ResultValue[])[];

/** Rows of one record batch. */
const batchRows = 8_192;
const metadataV5 = 4;
const headers = { schema: 1, recordBatch: 3 } as const;
const nanosecond: Field = { kind: 'i16', value: 3 };
const flag: Field = { kind: 'u8', value: 1 };

/** How a column is encoded: a type of Arrow's `Schema.fbs` (its number in the union, its table) and its buffers. */
interface Kind {
  readonly type: number;
  readonly table: Table;
  readonly buffers: (values: readonly ResultValue[]) => Buffer[];
}

const int64: Kind = {
  type: 2,
  table: [{ kind: 'i32', value: 64 }, flag],
  buffers: (values) => [wide(values, (value) => wholeOf(value, minInt64, maxInt64))],
};
const uint64: Kind = {
  type: 2,
  table: [{ kind: 'i32', value: 64 }],
  buffers: (values) => [wide(values, (value) => BigInt.asIntN(64, wholeOf(value, 0n, 2n * maxInt64 + 1n)))],
};
const kinds = {
  float: {
    type: 3,
    table: [{ kind: 'i16', value: 2 }],
    buffers: (values) => {
      const data = Buffer.alloc(values.length * 8);
      for (const [at, value] of values.entries()) data.writeDoubleLE(value === null ? 0 : Number(value), at * 8);
      return [data];
    },
  },
  bool: { type: 6, table: [], buffers: (values) => [bits(values, (value) => value === true)] },
  timestamp: {
    type: 10,
    table: [nanosecond, { kind: 'text', value: 'UTC' }],
    buffers: (values) => [wide(values, (value) => nanosecondsOf(String(value)))],
  },
  duration: { ...int64, type: 18, table: [nanosecond] },
  text: {
    type: 5,
    table: [],
    buffers: (values) => {
      const texts = values.map((value) =>
        value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value),
      );
      const offsets = Buffer.alloc((texts.length + 1) * 4);
      let end = 0;
      for (const [at, text] of texts.entries()) {
        end += Buffer.byteLength(text);
        offsets.writeInt32LE(end, (at + 1) * 4);
      }
      return [offsets, Buffer.from(texts.join(''))];
    },
  },
} satisfies Record<string, Kind>;

/**
 * Arrow's IPC stream (https://arrow.apache.org/docs/format/Columnar.html): a schema, record batches, an end mark.
 * Integers are int64, times and durations are nanoseconds; lists and maps are JSON text. A column whose first values do
 * not fit into int64 (hashes) is uint64. Throws a RangeError for a later value that does not fit its column.
 */
export async function* toArrow(columns: readonly ResultColumn[], batches: Batches): AsyncGenerator<Buffer> {
  let chosen: readonly Kind[] | undefined;
  let waiting: (readonly ResultValue[])[] = [];
  function* flush(): Generator<Buffer> {
    if (chosen === undefined) {
      chosen = columns.map((column, at) => kindOf(column, waiting, at));
      yield schema(columns, chosen);
    }
    if (waiting.length > 0) yield recordBatch(chosen, waiting);
    waiting = [];
  }
  for await (const rows of batches) {
    for (const row of rows) waiting.push(row);
    if (waiting.length >= batchRows) yield* flush();
  }
  yield* flush();
  yield message(Buffer.alloc(0), []);
}

function kindOf({ type }: ResultColumn, rows: Rows, at: number): Kind {
  switch (type) {
    case 'int':
    case 'bytes':
      return rows.some((row) => typeof row[at] === 'string' && BigInt(row[at]) > maxInt64) ? uint64 : int64;
    case 'float':
    case 'bool':
    case 'timestamp':
    case 'duration':
      return kinds[type];
    default:
      return kinds.text;
  }
}

function schema(columns: readonly ResultColumn[], chosen: readonly Kind[]): Buffer {
  const fields = columns.map(({ name }, at): Table => {
    const { type, table } = chosen[at] ?? kinds.text;
    return [
      { kind: 'text', value: name },
      flag,
      { kind: 'u8', value: type },
      { kind: 'table', value: table },
      undefined,
      { kind: 'tables', value: [] },
    ];
  });
  return message(metadata(headers.schema, [undefined, { kind: 'tables', value: fields }], 0), []);
}

function recordBatch(chosen: readonly Kind[], rows: Rows): Buffer {
  const nodes: [number, number][] = [];
  const places: [number, number][] = [];
  const body: Buffer[] = [];
  let length = 0;
  for (const [at, kind] of chosen.entries()) {
    const values = rows.map((row) => row[at] ?? null);
    nodes.push([rows.length, values.filter((value) => value === null).length]);
    for (const buffer of [bits(values, (value) => value !== null), ...kind.buffers(values)]) {
      const padding = (8 - (buffer.length % 8)) % 8;
      places.push([length, buffer.length]);
      body.push(buffer, Buffer.alloc(padding));
      length += buffer.length + padding;
    }
  }
  const table: Table = [
    { kind: 'i64', value: rows.length },
    { kind: 'pairs', value: nodes },
    { kind: 'pairs', value: places },
  ];
  return message(metadata(headers.recordBatch, table, length), body);
}

function metadata(header: number, table: Table, bodyLength: number): Buffer {
  return flatbuffer([
    { kind: 'i16', value: metadataV5 },
    { kind: 'u8', value: header },
    { kind: 'table', value: table },
    { kind: 'i64', value: bodyLength },
  ]);
}

/** Without metadata: the end of the stream. */
function message(about: Buffer, body: readonly Buffer[]): Buffer {
  const prefix = Buffer.alloc(8, 0xff);
  prefix.writeInt32LE(about.length, 4);
  return Buffer.concat([prefix, about, ...body]);
}

function bits(values: readonly ResultValue[], isSet: (value: ResultValue) => boolean): Buffer {
  const data = Buffer.alloc((values.length + 7) >> 3);
  for (const [at, value] of values.entries()) if (isSet(value)) data[at >> 3] = (data[at >> 3] ?? 0) | (1 << (at & 7));
  return data;
}

function wide(values: readonly ResultValue[], read: (value: ResultValue) => bigint): Buffer {
  const data = Buffer.alloc(values.length * 8);
  for (const [at, value] of values.entries()) if (value !== null) data.writeBigInt64LE(read(value), at * 8);
  return data;
}

const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);

function wholeOf(value: ResultValue, least: bigint, most: bigint): bigint {
  const whole = BigInt(typeof value === 'number' ? Math.round(value) : String(value));
  if (whole < least || whole > most) throw new RangeError(`${whole} does not fit into its column`);
  return whole;
}

/** `2026-11-19T14:53:20.120Z` since the epoch. */
function nanosecondsOf(text: string): bigint {
  const fraction = text.slice(20, -1).padEnd(9, '0');
  return BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1_000_000n + BigInt(fraction);
}
