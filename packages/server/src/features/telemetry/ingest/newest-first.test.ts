import { compile } from '@fanion/oql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { boundParameters } from '../../../platform/gateway/plan/bound-parameters.ts';
import { startTestStore, type TestStore } from './testing/store.ts';

let store: TestStore;
beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());

const toMs = Math.floor(Date.now() / 300_000) * 300_000;
const hour = 3_600_000;

interface Part {
  readonly rows: number;
  readonly salt: number;
  readonly workspace?: number;
  /** How long before the end of the window its rows begin, and how far apart they may lie. */
  readonly agoMs: number;
  readonly withinMs: number;
}

/** Times are whole milliseconds, so many rows have equal ones. */
const insert = (table: string, { rows, salt, workspace = 1, agoMs, withinMs }: Part) =>
  store.store.command(
    `INSERT INTO ${table} (workspace, project, environment, retention_days, time, service${table === 'spans' ? ', name' : ', body'})
     SELECT {workspace:UInt32}, 1 + number % 2, 'production', 30,
       fromUnixTimestamp64Milli({first:Int64} + toInt64(cityHash64(number, {salt:UInt32}) % {within:UInt32})),
       concat('s', toString(cityHash64(number, {salt:UInt32}, 1) % 5)), concat('n', toString(cityHash64(number, {salt:UInt32}, 2) % 4))
     FROM numbers({rows:UInt32})`,
    { params: { rows, salt, workspace, first: toMs - agoMs, within: withinMs } },
  );

async function ask(query: string, project?: number) {
  const compiled = compile(query, {
    scope: { workspace: 1, ...(project && { project }) },
    window: { fromNs: BigInt(toMs - hour) * 1_000_000n, toNs: BigInt(toMs) * 1_000_000n },
    limit: 1000,
    nowNs: BigInt(toMs) * 1_000_000n,
  });
  if (!compiled.ok) throw new Error(compiled.diagnostics[0]?.message);
  const { rows, cost } = await store.store.query(compiled.sql, {
    params: boundParameters(compiled.params),
    settings: { ...compiled.settings },
  });
  return { rows, rowsRead: cost.rowsRead };
}

/** The times that are right, by a statement without any short cut. */
async function expected(table: string, condition: string, count: number, offset = 0) {
  const { rows } = await store.store.query(
    `SELECT time FROM (SELECT time FROM ${table} WHERE workspace = 1 AND ${condition}
       AND time >= fromUnixTimestamp64Milli({from:Int64}) AND time < fromUnixTimestamp64Milli({to:Int64}))
     ORDER BY time DESC LIMIT ${count} OFFSET ${offset}`,
    { params: { from: toMs - hour, to: toMs }, settings: { optimize_read_in_order: 0, use_skip_indexes: 0 } },
  );
  return rows;
}

describe.each(['spans', 'logs'])('the newest %s', (table) => {
  beforeEach(() => store.store.command(`TRUNCATE TABLE ${table}`));

  const check = async () => {
    for (const count of [1, 20, 700]) {
      expect((await ask(`${table} | fields time | limit ${count}`)).rows).toEqual(await expected(table, '1', count));
      const one = await ask(`${table} | where service.name == "s3" | fields time | limit ${count}`);
      expect(one.rows).toEqual(await expected(table, `service = 's3'`, count));
    }
    const later = await ask(`${table} | sort -time | limit 30 offset 15 | fields time`);
    expect(later.rows).toEqual(await expected(table, '1', 30, 15));
    expect((await ask(`${table} | fields time | limit 40`, 2)).rows).toEqual(await expected(table, 'project = 2', 40));
    expect((await ask(`${table} | where service.name == "none" | limit 20`)).rows).toEqual([]);
  };

  it('are the same, whatever parts, late rows and other workspaces there are', async () => {
    await check();
    await insert(table, { rows: 10, salt: 1, agoMs: 20_000, withinMs: 5 });
    await check();
    await insert(table, { rows: 3_000, salt: 2, agoMs: 900_000, withinMs: 600_000 });
    await insert(table, { rows: 3_000, salt: 3, agoMs: 60_000, withinMs: 50 });
    await insert(table, { rows: 3_000, salt: 4, workspace: 2, agoMs: 1_000, withinMs: 900 });
    await check();
    // They come late.
    await insert(table, { rows: 3_000, salt: 5, agoMs: hour + 60_000, withinMs: 120_000 });
    await insert(table, { rows: 500, salt: 6, agoMs: 30_000, withinMs: 29_000 });
    await check();
    await store.store.command(`OPTIMIZE TABLE ${table} FINAL`);
    await check();
  });

  it('are found without reading all rows of their five minutes', async () => {
    const rows = 400_000;
    await insert(table, { rows, salt: 7, agoMs: 240_000, withinMs: 230_000 });
    const { rowsRead } = await ask(`${table} | limit 20`);
    expect(rowsRead).toBeLessThan(rows * 0.8);
  });
});
