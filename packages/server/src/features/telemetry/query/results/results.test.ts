import type { ResultColumn, ResultValue } from '@fanion/oql';
import { describe, expect, it } from 'vitest';
import { chooseForm } from './media.ts';
import { toCsv, toNdjson } from './text.ts';

describe('the format of a result', () => {
  it.each([
    [undefined, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['application/json', 'json'],
    ['text/csv', 'csv'],
    ['TEXT/CSV; header=present', 'csv'],
    ['application/x-ndjson', 'ndjson'],
    ['application/jsonl', 'ndjson'],
    ['application/vnd.apache.arrow.stream', 'arrow'],
    ['text/*', 'csv'],
    ['text/html, application/xhtml+xml, */*;q=0.8', 'json'],
    ['application/json;q=0.5, text/csv;q=0.9', 'csv'],
    ['text/csv;q=0.5, application/json;q=0.5', 'json'],
    ['application/json;q=0, */*', 'csv'],
    ['application/*;q=0.1, application/x-ndjson;q=0.2', 'ndjson'],
    ['text/csv;q=0', undefined],
    ['text/html', undefined],
    ['text/csv;q=nonsense', undefined],
    ['nonsense', undefined],
  ])('%j is %j', (accept, form) => {
    expect(chooseForm(accept)).toBe(form);
  });
});

const columns: readonly ResultColumn[] = [
  { name: 'a,b', type: 'string' },
  { name: '__proto__', type: 'int' },
  { name: 'm', type: 'map' },
];
const rows: ResultValue[][] = [
  ['x', 1, { k: ['v', null] }],
  [null, null, null],
  ['', '18446744073709551615', {}],
  ['line\r\nbreak "quoted"', -1, 'text'],
  ['=1+1', 2, ' padded'],
];
async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk.toString();
  return text;
}
async function* inTwo() {
  yield rows.slice(0, 2);
  yield rows.slice(2);
}
async function* none() {}

describe('CSV', () => {
  it('distinguishes null from the empty string, and quotes where needed', async () => {
    expect(await textOf(toCsv(columns, inTwo()))).toBe(
      [
        '"a,b",__proto__,m',
        'x,1,"{""k"":[""v"",null]}"',
        ',,',
        '"",18446744073709551615,{}',
        '"line\r\nbreak ""quoted""",-1,text',
        '=1+1,2," padded"',
        '',
      ].join('\r\n'),
    );
  });
  it('has its header line when there are no rows', async () => {
    expect(await textOf(toCsv(columns, none()))).toBe('"a,b",__proto__,m\r\n');
  });
});

describe('NDJSON', () => {
  it('is one object per line, whatever the names of its columns', async () => {
    const lines = (await textOf(toNdjson(columns, inTwo()))).split('\n');
    expect(lines).toHaveLength(rows.length + 1);
    expect(lines[0]).toBe('{"a,b":"x","__proto__":1,"m":{"k":["v",null]}}');
    expect(JSON.parse(lines[3] ?? '')['a,b']).toBe('line\r\nbreak "quoted"');
    expect(await textOf(toNdjson(columns, none()))).toBe('');
  });
});
