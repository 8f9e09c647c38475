import { createBreath } from '../breath.ts';

/** Bytes of JSON to read of a result. Beyond a limit the query ends. */
export interface ReadLimits {
  readonly maxResultBytes: number;
  readonly maxRowBytes: number;
}

/** The store sent more than the limits allow. */
export class ResultTooLarge extends Error {
  override readonly name = 'ResultTooLarge';
  readonly what: 'row' | 'result';
  readonly limitBytes: number;
  constructor(what: 'row' | 'result', limitBytes: number) {
    super(`a ${what} has more than ${limitBytes} bytes`);
    this.what = what;
    this.limitBytes = limitBytes;
  }
}

export interface Compact {
  readonly columns: { name: string; type: string }[];
  readonly rows: unknown[][];
  readonly statistics: { readonly elapsed?: number; readonly rows_read?: number; readonly bytes_read?: number };
  /** Size of the JSON text. */
  readonly bytes: number;
}

const newline = 0x0a;
/** The start of the rows. JSON strings contain no line breaks, so this occurs nowhere else. */
const dataBegins = '\t"data":\n\t[\n';

/**
 * Reads ClickHouse's format `JSONCompact`, which has one row per line, in slices: a large result never blocks the event
 * loop. Ending early closes the connection, which ends the query.
 */
export async function readCompact(stream: AsyncIterable<Buffer>, limits: ReadLimits): Promise<Compact> {
  const rows: unknown[][] = [];
  const rest = await readCompactBatches(stream, limits, (batch) => {
    for (const row of batch) rows.push(row);
  });
  return { ...rest, rows };
}

/**
 * The same, keeping no rows.
 * @param take gets some rows at a time, in order
 */
export async function readCompactBatches(
  stream: AsyncIterable<Buffer>,
  limits: ReadLimits,
  take: (rows: unknown[][]) => void,
): Promise<Omit<Compact, 'rows'>> {
  const breath = createBreath();
  let head: string | undefined = '';
  let columns: Compact['columns'] = [];
  let tail: string | undefined;
  const counted = { bytes: 0 };
  for await (const lines of wholeLines(stream, limits, counted)) {
    let text = lines.toString();
    if (tail !== undefined) {
      tail += text;
      continue;
    }
    if (head !== undefined) {
      head += text;
      const at: number = head.indexOf(dataBegins);
      if (at < 0) continue;
      columns = JSON.parse(`${withoutComma(head.slice(0, at))}}`).meta;
      text = head.slice(at + dataBegins.length);
      head = undefined;
    }
    const end = text.startsWith('\t]') ? 0 : text.indexOf('\n\t]') + 1;
    const hasEnded = end > 0 || text.startsWith('\t]');
    if (hasEnded) tail = text.slice(end);
    take(parseLines(hasEnded ? text.slice(0, end) : text));
    await breath();
  }
  if (tail === undefined) throw new Error('the answer of the telemetry store ended early');
  const { statistics = {} } = JSON.parse(`{"data":[${tail}`);
  return { columns, statistics, bytes: counted.bytes };
}

/** Streams `JSONCompactEachRow`, some rows at a time. */
export async function* readCompactRows(
  stream: AsyncIterable<Buffer>,
  limits: ReadLimits,
): AsyncGenerator<unknown[][], void, undefined> {
  for await (const lines of wholeLines(stream, limits, { bytes: 0 })) {
    const rows = parseLines(lines.toString().trimEnd().replaceAll('\n', ',\n'));
    if (rows.length > 0) yield rows;
  }
}

function parseLines(text: string): unknown[][] {
  const rows = withoutComma(text);
  return rows === '' ? [] : JSON.parse(`[${rows}]`);
}

function withoutComma(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.endsWith(',') ? trimmed.slice(0, -1) : trimmed;
}

async function* wholeLines(
  stream: AsyncIterable<Buffer>,
  { maxResultBytes, maxRowBytes }: ReadLimits,
  counted: { bytes: number },
): AsyncGenerator<Buffer, void, undefined> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of stream) {
    counted.bytes += chunk.length;
    if (counted.bytes > maxResultBytes) throw new ResultTooLarge('result', maxResultBytes);
    const end = chunk.lastIndexOf(newline) + 1;
    const first = end === 0 ? chunk.length : chunk.indexOf(newline) + 1;
    if (pendingBytes + first > maxRowBytes) throw new ResultTooLarge('row', maxRowBytes);
    if (end === 0) {
      pending.push(chunk);
      pendingBytes += chunk.length;
      continue;
    }
    yield Buffer.concat([...pending, chunk.subarray(0, end)]);
    pending = end < chunk.length ? [chunk.subarray(end)] : [];
    pendingBytes = chunk.length - end;
  }
  if (pendingBytes > 0) yield Buffer.concat(pending);
}
