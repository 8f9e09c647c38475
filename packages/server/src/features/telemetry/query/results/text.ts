import type { ResultColumn, ResultValue } from '@fanion/oql';

export type Batches = AsyncIterable<readonly (readonly ResultValue[])[]>;

/**
 * CSV by RFC 4180, with a header line. A missing value is an empty cell, an empty text is `""`; lists and maps are
 * JSON. Values are not changed, not even a text that begins with `=`, so that readers get what was sent.
 */
export async function* toCsv(columns: readonly ResultColumn[], batches: Batches): AsyncGenerator<Buffer> {
  yield Buffer.from(`${columns.map(({ name }) => csvText(name)).join(',')}\r\n`);
  for await (const rows of batches) {
    let text = '';
    for (const row of rows) text += `${row.map(csvCell).join(',')}\r\n`;
    yield Buffer.from(text);
  }
}

function csvCell(value: ResultValue): string {
  if (value === null) return '';
  if (typeof value === 'string') return csvText(value);
  return typeof value === 'object' ? csvText(JSON.stringify(value)) : String(value);
}

function csvText(text: string): string {
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One JSON object per line, with a member for each column; values as in the JSON response. */
export async function* toNdjson(columns: readonly ResultColumn[], batches: Batches): AsyncGenerator<Buffer> {
  const names = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  for await (const rows of batches) {
    let text = '';
    for (const row of rows) text += `{${row.map((value, at) => names[at] + JSON.stringify(value)).join(',')}}\n`;
    yield Buffer.from(text);
  }
}
