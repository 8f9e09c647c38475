import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTelemetryStore } from '@fanion/embedded';
import { expect, onTestFinished, test } from 'vitest';
import { createClickHouse, migrateTelemetry, migrations } from './index.ts';

/** More ids than a block held before. */
const ROWS = 70_000;
/** Behind the first block that there is now. */
const ROW = 40_000;
const KIB = 1024;

test('ids of a part from before smaller blocks stay, and one row of a new part costs half of what it cost', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'fanion-id-blocks-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const engine = await startTelemetryStore({
    dir,
    memoryBytes: KIB ** 3,
    log: { info() {}, warn() {}, error() {} },
  });
  onTestFinished(() => engine.stop());
  const target = { url: engine.url, database: 'fanion' };
  const store = createClickHouse(target);
  onTestFinished(() => store.close());
  const rowsOf = async (sql: string) => (await store.query(sql)).rows;
  const insert = (seed: number) =>
    store.command(
      `INSERT INTO spans (workspace, time, service, retention_days, trace_id, span_id, parent_span_id)
       SELECT 1, toDateTime64('2026-11-01 00:00:00', 9, 'UTC') + number / 1000, 's', 20000,
         unhex(concat(hex(cityHash64(number % 7000, ${seed})), hex(cityHash64(${seed}, number % 7000)))),
         unhex(hex(cityHash64(number, ${seed}))), unhex(hex(cityHash64(intDiv(number, 3), ${seed})))
       FROM numbers(${ROWS}) SETTINGS max_block_size = ${2 * ROWS}, max_insert_threads = 1`,
    );
  const ids = () => rowsOf(`SELECT sum(cityHash64(time, trace_id, span_id, parent_span_id)) FROM spans`);
  /** KiB, without the few bytes beside the block. */
  const decompressed = async (column: string, part: string) => {
    const counter = async () =>
      Number((await rowsOf(`SELECT value FROM system.events WHERE event = 'CompressedReadBufferBytes'`))[0]?.[0]);
    // Reads the marks and the key of the part, too, where nobody has asked for them yet.
    const sql = `SELECT hex(${column}) FROM spans WHERE _part = '${part}' AND _part_offset = ${ROW}`;
    const ask = () => store.query(sql, { settings: { use_uncompressed_cache: 0 } });
    await ask();
    const before = await counter();
    await ask();
    return Math.round(((await counter()) - before) / KIB);
  };

  await migrateTelemetry({ ...target, migrations: migrations.filter(({ id }) => id < 28) });
  await store.command('SYSTEM STOP MERGES spans');
  await insert(1);
  const before = await ids();
  expect(await migrateTelemetry(target)).toContain(28);
  expect(await ids()).toEqual(before);

  await insert(2);
  const both = await ids();
  const parts = await rowsOf(
    `SELECT name FROM system.parts WHERE active AND database = 'fanion' AND table = 'spans' ORDER BY min_block_number`,
  );
  const [older = '', newer = ''] = parts.map(([name]) => String(name));
  expect([await decompressed('trace_id', older), await decompressed('parent_span_id', older)]).toEqual([1024, 512]);
  expect([await decompressed('trace_id', newer), await decompressed('parent_span_id', newer)]).toEqual([512, 256]);

  await store.command('SYSTEM START MERGES spans');
  await store.command('OPTIMIZE TABLE spans FINAL');
  expect(await ids()).toEqual(both);
});
