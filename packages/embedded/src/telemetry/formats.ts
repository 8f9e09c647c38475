const CONTENT_TYPES: ReadonlyArray<readonly [RegExp, string]> = [
  [/^JSON/, 'application/json; charset=UTF-8'],
  [/^CSV/, 'text/csv; charset=UTF-8'],
  [/^(TabSeparated|TSV|TSKV)/, 'text/tab-separated-values; charset=UTF-8'],
  [/^(RowBinary|Native|Arrow|Parquet|ORC|Protobuf|MsgPack|Avro)/, 'application/octet-stream'],
];

export function contentType(format: string): string {
  return CONTENT_TYPES.find(([pattern]) => pattern.test(format))?.[1] ?? 'text/plain; charset=UTF-8';
}

/** Formats without header and footer: the results of the blocks can be concatenated. */
const CONCATENABLE = /^(JSON(Compact)?(Strings)?EachRow|JSONLines|NDJSON|CSV|TabSeparated(Raw)?|TSV(Raw)?|RowBinary)$/;

/** Whether the result of this statement can be sent block by block. */
export function isStreamable(sql: string, format: string): boolean {
  return CONCATENABLE.test(format) && /^\s*(SELECT|WITH)\b/i.test(sql);
}

/** Only these formats report at the end what the query has read; the engine's interface does not. */
const WITH_STATISTICS = /^JSON(Compact)?(Strings)?$/;

/**
 * Rows and bytes that the query has read from storage, taken from the end of the result if its format contains them.
 */
export function readStatistics(format: string, bytes: Uint8Array): { rows: number; bytes: number } | undefined {
  if (!WITH_STATISTICS.test(format)) return undefined;
  const tail = Buffer.from(bytes.subarray(Math.max(0, bytes.length - 300))).toString();
  const match = /"rows_read":\s*(\d+),\s*"bytes_read":\s*(\d+)\s*\}\s*\}\s*$/.exec(tail);
  return match ? { rows: Number(match[1]), bytes: Number(match[2]) } : undefined;
}
