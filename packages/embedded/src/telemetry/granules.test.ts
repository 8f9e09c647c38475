import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../testing/temporary.ts';
import { refineGranules } from './granules.ts';

const definition = (settings: string) =>
  `ATTACH TABLE _ UUID '6f1d'\n(\n    \`n\` UInt64 COMMENT 'index_granularity = 8192'\n)\nENGINE = MergeTree\nORDER BY n\nSETTINGS ${settings}\n`;

/** A directory of the engine, with these definitions of tables. */
function engineWith(tables: Readonly<Record<string, string>>) {
  const dir = temporaryDirectory();
  const database = join(dir, 'store', 'abc', 'abcdef');
  mkdirSync(database, { recursive: true });
  mkdirSync(join(dir, 'metadata'));
  symlinkSync('../store/abc/abcdef', join(dir, 'metadata', 'db'));
  writeFileSync(join(dir, 'metadata', 'db.sql'), 'ATTACH DATABASE _');
  for (const [name, text] of Object.entries(tables)) writeFileSync(join(database, `${name}.sql`), text);
  const read = (name: string) => readFileSync(join(database, `${name}.sql`), 'utf8');
  return { dir, database, read };
}

describe('granules of tables that exist', () => {
  it.each([
    ['at the end', 'a = 1, index_granularity = 8192', 'a = 1, index_granularity = 2048'],
    ['before others', 'index_granularity = 8192, b = 1', 'index_granularity = 2048, b = 1'],
    ['of a size that somebody chose', 'a = 1, index_granularity = 512', 'a = 1, index_granularity = 512'],
    ['of a similar name', 'min_index_granularity = 81920', 'min_index_granularity = 81920'],
  ])('%s', async (_what, before, after) => {
    const { dir, read } = engineWith({ t: definition(before), other: definition(before) });
    expect(await refineGranules(dir, { t: 2048 })).toBe(before === after ? 0 : 1);
    expect(read('t')).toBe(definition(after));
    expect(read('other')).toBe(definition(before));
    expect(await refineGranules(dir, { t: 2048 })).toBe(0);
  });

  it('get smaller after a kill while the definition was written', async () => {
    const { dir, database, read } = engineWith({ t: definition('index_granularity = 8192') });
    writeFileSync(join(database, 't.sql.tmp'), 'ATTACH TABLE _ UU');
    await refineGranules(dir, { t: 2048 });
    expect(read('t')).toBe(definition('index_granularity = 2048'));
    expect(readdirSync(database)).toEqual(['t.sql']);
  });

  it('are not looked for before the table and the engine exist', async () => {
    expect(await refineGranules(engineWith({}).dir, { t: 2048 })).toBe(0);
    expect(await refineGranules(temporaryDirectory(), { t: 2048 })).toBe(0);
  });
});
