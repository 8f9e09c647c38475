import { decodeRow, type ResultColumn } from '@fanion/oql';
import { type ReadLimits, readCompactBatches } from '../../clickhouse/compact.ts';

/** The rows of an answer as the text of a JSON array. */
export class EncodedRows {
  /** Number of rows. */
  readonly length: number;
  /** UTF-8; one after the other they are the text. */
  readonly chunks: readonly Uint8Array[];
  constructor(length: number, chunks: readonly Uint8Array[]) {
    this.length = length;
    this.chunks = chunks;
  }
}

/** What to make of the bytes of an answer; plain data, so that it can be sent to a thread. */
export interface EncodeJob {
  readonly columns: readonly ResultColumn[];
  /** Most rows; any others are dropped. */
  readonly limit: number;
  readonly limits: ReadLimits;
}

export interface EncodeOutcome {
  /** Number of rows. */
  readonly length: number;
  /** Whether there were more rows than the limit. */
  readonly truncated: boolean;
  readonly statistics: { readonly elapsed?: number; readonly rows_read?: number; readonly bytes_read?: number };
}

/** Characters of a chunk, or more where a row is longer. */
const chunkCharacters = 128 * 1024;

/**
 * Turns an answer in the format `JSONCompact` into the text of its rows as `JSON.stringify` writes them. Throws
 * `ResultTooLarge`.
 * @param emit gets the text, each chunk in memory of its own
 */
export async function encodeRows(
  stream: AsyncIterable<Buffer>,
  { columns, limit, limits }: EncodeJob,
  emit: (chunk: Uint8Array<ArrayBuffer>) => void,
): Promise<EncodeOutcome> {
  const encoder = new TextEncoder();
  let text = '[';
  let length = 0;
  let truncated = false;
  const { statistics } = await readCompactBatches(stream, limits, (batch) => {
    const kept = batch.slice(0, limit - length);
    truncated ||= kept.length < batch.length;
    if (kept.length === 0) return;
    const rows = JSON.stringify(kept.map((row) => decodeRow(columns, row)));
    text += (length > 0 ? ',' : '') + rows.slice(1, -1);
    length += kept.length;
    if (text.length < chunkCharacters) return;
    emit(encoder.encode(text));
    text = '';
  });
  emit(encoder.encode(`${text}]`));
  return { length, truncated, statistics };
}
