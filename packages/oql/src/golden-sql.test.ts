import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { compile } from './compile.ts';
import { NOW, SCOPE, WINDOW } from './testing/fixture.ts';
import { GOLDEN_AREAS } from './testing/golden/index.ts';
import { layOut } from './testing/golden/sql-layout.ts';

const folderOf = (area: string) => fileURLToPath(new URL(`./testing/golden/sql/${area}`, import.meta.url));

const SYMBOLS: readonly (readonly [symbol: string, word: string])[] = [
  ['>>', 'above'],
  ['->', 'links'],
  ['==', 'is'],
  ['!=', 'is-not'],
  ['>=', 'ge'],
  ['<=', 'le'],
  ['=~', 'matches'],
  ['!~', 'matches-not'],
  ['>', 'gt'],
  ['<', 'lt'],
  ['~', 'beside'],
  ['%', 'mod'],
  [' -', ' down-'],
];

/** The words of a query, for a file name; a long name ends with a short hash, to differ from others with the same beginning. */
function fileName(query: string): string {
  const quoted = query.replaceAll(/"(\d+)"/g, 'text-$1');
  const spelled = SYMBOLS.reduce((text, [symbol, word]) => text.replaceAll(symbol, ` ${word} `), quoted);
  const words = spelled.replaceAll(/[^A-Za-z0-9_.]+/g, '-').replaceAll(/^-+|-+$/g, '');
  if (words.length <= 70) return `${words}.sql`;
  return `${words.slice(0, 62)}-${createHash('sha256').update(query).digest('hex').slice(0, 6)}.sql`;
}

describe.each(Object.entries(GOLDEN_AREAS))('%s', (area, golden) => {
  test.each(golden)('$query', async ({ query }) => {
    const compiled = compile(query, { scope: SCOPE, window: WINDOW, limit: 1000, nowNs: NOW });
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics));
    const params = Object.entries(compiled.params).map(([name, { value }]) => `-- ${name} = ${JSON.stringify(value)}`);
    const text = [`-- ${compiled.normalized}`, layOut(compiled.sql), ...params, ''].join('\n');
    await expect(text).toMatchFileSnapshot(`${folderOf(area)}/${fileName(query)}`);
  });

  test('has a query for every file', () => {
    const files = existsSync(folderOf(area)) ? readdirSync(folderOf(area)) : [];
    const names = new Set(golden.map(({ query }) => fileName(query)));
    expect(names.size).toBe(golden.length);
    expect(files.filter((file) => !names.has(file))).toEqual([]);
  });
});
