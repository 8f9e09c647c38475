import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedStore, startTelemetryStore } from '@fanion/embedded';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ClickHouse,
  createClickHouse,
  isBadRows,
  migrateTelemetry,
  migrations,
  nativeBlocks,
  storeErrorCode,
} from './index.ts';
import { exactPoints0029 } from './migrations/0029-exact-points.ts';
import type { TelemetryMigration } from './migrations/index.ts';
import { createMigratedDatabase } from './testing/migrated-database.ts';

let dir: string;
let engine: EmbeddedStore;
const opened: ClickHouse[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fanion-clickhouse-'));
  engine = await startTelemetryStore({ dir, memoryBytes: 1024 ** 3, log: { info() {}, warn() {}, error() {} } });
});
afterAll(async () => {
  for (const store of opened) await store.close();
  await engine?.stop();
  await rm(dir, { recursive: true, force: true });
});

function open(database: string): ClickHouse {
  const store = createClickHouse({ url: engine.url, database });
  opened.push(store);
  return store;
}
async function codeOf(work: Promise<unknown>): Promise<number | undefined> {
  return work.then(
    () => undefined,
    (error: unknown) => storeErrorCode(error),
  );
}
async function schemaOf(database: string): Promise<unknown> {
  const { rows } = await open('system').query(
    `SELECT table, name, type FROM system.columns WHERE database = {database:String} ORDER BY table, position`,
    { params: { database } },
  );
  return rows;
}

/** The migration with a failure in the place of what follows the first statements. */
function killedAfter(migration: TelemetryMigration, done: number): TelemetryMigration {
  return { ...migration, statements: [...migration.statements.slice(0, done), 'SELECT throwIf(1)'] };
}

describe('migrations', () => {
  it('create the schema once, and are recorded', async () => {
    expect(await migrateTelemetry({ url: engine.url, database: 'once' })).toEqual(migrations.map(({ id }) => id));
    expect(await migrateTelemetry({ url: engine.url, database: 'once' })).toEqual([]);
    const { rows } = await open('once').query('SELECT id, name FROM telemetry_migrations ORDER BY id');
    expect(rows).toEqual(migrations.map(({ id, name }) => [id, name]));
  });

  it('leave what the databases of other tests are created from', async () => {
    await createMigratedDatabase({ url: engine.url, database: 'created' });
    const tablesOf = async (database: string) => {
      const { rows } = await open(database).query(
        `SELECT replaceAll(create_table_query, currentDatabase() || '.', '') FROM system.tables
         WHERE database = currentDatabase() ORDER BY name`,
      );
      return rows;
    };
    expect(await tablesOf('created')).toEqual(await tablesOf('once'));
    expect(await migrateTelemetry({ url: engine.url, database: 'created' })).toEqual([]);
  });

  it('add what points have beyond milliseconds and 53 bits to a store with points, also when killed after any statement', async () => {
    const target = { url: engine.url, database: 'exact' };
    const at = migrations.findIndex(({ id }) => id === exactPoints0029.id);
    const [before, own] = [migrations.slice(0, at), migrations.slice(at, at + 1)];
    await migrateTelemetry({ ...target, migrations: before });
    const store = open('exact');
    const key = `workspace, project, environment, retention_days, metric, series, time`;
    const insert = (more: string, values: string) =>
      store.command(`INSERT INTO metric_points (${key}, value${more}) SELECT 1, 1, 'e', 20000, 'm', number % 3,
        toDateTime64('2026-11-01 00:00:00', 3, 'UTC') + intDiv(number, 30), number${values} FROM numbers(3000)`);
    await insert('', '');
    await insert('', '');
    for (let done = 0; done < exactPoints0029.statements.length; done++) {
      await expect(migrateTelemetry({ ...target, migrations: [killedAfter(exactPoints0029, done)] })).rejects.toThrow();
    }
    expect(await migrateTelemetry({ ...target, migrations: [...before, ...own] })).toEqual([exactPoints0029.id]);
    await insert(', nanos, integer', `, toUInt32(number % 30 + 1), toInt64(9007199254740993)`);
    await store.command('OPTIMIZE TABLE metric_points FINAL');
    const order = 'workspace, metric, series, time, nanos';
    const ask = async (sql: string) => (await store.query(sql)).rows.flat().map(String);
    expect(
      await ask(`SELECT sorting_key FROM system.tables WHERE database = 'exact' AND name = 'metric_points'`),
    ).toEqual([order]);
    expect(
      await ask(
        'SELECT count(), countIf(nanos = 0), sum(integer = 0), uniqExact(series, time, nanos) FROM metric_points',
      ),
    ).toEqual([...['9000', '6000', '6000', '3300']]);
    expect(await ask('SELECT count() FROM metric_points WHERE workspace = 1 GROUP BY toStartOfHour(time)')).toEqual([
      '9000',
    ]);
    const sorted = await ask(`SELECT groupArray((series, time, nanos)) = arraySort(groupArray((series, time, nanos)))
      FROM (SELECT series, time, nanos FROM metric_points WHERE workspace = 1 AND metric = 'm' ORDER BY series, time, nanos)`);
    expect(sorted).toEqual(['1']);
  });

  it('produce the same schema when killed after any statement and run again', async () => {
    const [first] = migrations;
    if (first === undefined) throw new Error('there are no migrations');
    const only = { url: engine.url, migrations: [first] };
    await migrateTelemetry({ ...only, database: 'first' });
    const whole = await schemaOf('first');
    for (let done = 0; done < first.statements.length; done++) {
      const target = { ...only, database: `killed_${done}` };
      await expect(migrateTelemetry({ ...target, migrations: [killedAfter(first, done)] })).rejects.toThrow();
      expect(await migrateTelemetry(target)).toEqual([first.id]);
      expect(await schemaOf(target.database)).toEqual(whole);
      await open('default').command(`DROP DATABASE ${target.database}`);
    }
  }, 120_000);

  it('can run on two servers at once', async () => {
    const target = { url: engine.url, database: 'both' };
    await Promise.all([migrateTelemetry(target), migrateTelemetry(target), migrateTelemetry(target)]);
    expect(await schemaOf('both')).toEqual(await schemaOf('once'));
  });

  it('record which texts are empty, also for rows older than the column', async () => {
    const target = { url: engine.url, database: 'older' };
    await migrateTelemetry({ ...target, migrations: migrations.filter(({ id }) => id < 9) });
    const store = open('older');
    const insert = `INSERT INTO spans (workspace, time, retention_days, string_attributes, resource)
      SELECT 1, now64(9), 30, map('full', 'x', 'empty', '', 'o\\0dd', '', 'none', ''), map('host', '')`;
    await store.command(insert);
    expect(await migrateTelemetry(target)).toEqual(migrations.map(({ id }) => id).filter((id) => id >= 9));
    await store.command(insert);
    const { rows } = await store.query('SELECT empty_attributes, empty_resource FROM spans');
    const row = ['\0empty\0\0none\0', '\0host\0'];
    expect(rows).toEqual([row, row]);
  });

  it('leave a newer schema alone', async () => {
    const store = open('both');
    await store.command(`INSERT INTO telemetry_migrations SELECT 99, 'of a later version', now64(3)`);
    expect(await migrateTelemetry({ url: engine.url, database: 'both' })).toEqual([]);
  });

  it('reject an invalid database name', async () => {
    await expect(migrateTelemetry({ url: engine.url, database: 'a; DROP' })).rejects.toThrow('not a database name');
  });
});

describe('reading', () => {
  it('returns columns, rows and cost', async () => {
    const answer = await open('once').query('SELECT number AS n, toString(number) AS s FROM numbers({count:UInt8})', {
      params: { count: 2 },
    });
    expect(answer).toMatchObject({
      columns: [
        { name: 'n', type: 'UInt64' },
        { name: 's', type: 'String' },
      ],
      rows: [
        [0, '0'],
        [1, '1'],
      ],
      cost: { rowsRead: 2 },
    });
    expect(await open('once').queryRows('SELECT 1 AS a, 2 AS b')).toEqual([{ a: 1, b: 2 }]);
  });

  it('returns numbers in blocks of columns, with their bits as they were', async () => {
    const { stream } = await open('once').open(
      `SELECT number AS n, toFloat64(number) / 3, if(number = 7, 9218868437227405314, reinterpretAsUInt64(toFloat64('nan'))), toUInt32(number % 7) FROM numbers(1000)`,
      { settings: { max_block_size: 300 } },
      'Native',
    );
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const blocks = [...nativeBlocks(chunks, ['UInt64', 'Float64', 'UInt64', 'UInt32'])];
    expect(blocks.map(([numbers]) => numbers.length)).toEqual([300, 300, 300, 100]);
    const rows = blocks.flatMap(([numbers, thirds, bits, rests]) =>
      Array.from(numbers, (number, at) => [number, thirds[at], bits[at], rests[at]]),
    );
    expect(rows).toEqual(
      Array.from({ length: 1000 }, (_, n) => [
        BigInt(n),
        n / 3,
        n === 7 ? 0x7ff0_0000_0000_0002n : 0x7ff8_0000_0000_0000n,
        n % 7,
      ]),
    );
    expect(() => [...nativeBlocks(chunks, ['UInt64', 'Float64', 'UInt64', 'UInt64'])]).toThrow('has the type UInt32');
    const [half] = chunks.map((chunk) => chunk.subarray(0, chunk.length / 2));
    expect(() => [...nativeBlocks(half ? [half] : [], ['UInt64', 'Float64', 'UInt64', 'UInt32'])]).toThrow(
      'ends inside a block',
    );
  });

  it('never writes, and fails at its limits', async () => {
    const store = open('once');
    expect(await codeOf(store.query(`INSERT INTO telemetry_migrations SELECT 5, 'x', now64(3)`))).toBeDefined();
    expect(await codeOf(store.query(`SELECT * FROM file('/etc/passwd', 'LineAsString')`))).toBeDefined();
    expect(await codeOf(store.query('SELECT number FROM numbers(10)', { limits: { maxResultRows: 5 } }))).toBe(396);
    const endless = store.query('SELECT sum(sipHash64(number)) FROM numbers(1e12)', {
      limits: { maxSeconds: 0.2, maxRowsToRead: 0 },
    });
    expect(await codeOf(endless)).toBe(159);
    const rowsRead = store.query('SELECT count() FROM numbers(1000) WHERE number % 2', {
      limits: { maxRowsToRead: 10 },
    });
    expect(await codeOf(rowsRead)).toBe(158);
    const hungry = store.query('SELECT groupArray(number) FROM numbers(1e7)', { limits: { maxMemoryBytes: 1e6 } });
    expect(await codeOf(hungry)).toBe(241);
  });

  it('stops when the caller disconnects', async () => {
    const leave = new AbortController();
    const left = open('once').query('SELECT sum(sipHash64(number)) FROM numbers(1e12)', {
      limits: { maxSeconds: 20, maxRowsToRead: 0 },
      signal: leave.signal,
    });
    leave.abort();
    await expect(left).rejects.toThrow();
  });

  it('does not start for a disconnected caller', async () => {
    const store = open('once');
    const signal = AbortSignal.abort(new Error('has left'));
    await expect(store.query('SELECT 1', { signal })).rejects.toThrow('has left');
    await expect(store.queryRows('SELECT 1', { signal })).rejects.toThrow('has left');
    await expect(store.stream('SELECT 1', { signal }).next()).rejects.toThrow('has left');
    await expect(store.command('CREATE TABLE left_behind (n UInt32) ENGINE = Memory', { signal })).rejects.toThrow();
    expect((await store.query("SELECT count() FROM system.tables WHERE name = 'left_behind'")).rows).toEqual([[0]]);
  });
});

describe('inserting', () => {
  const rowsOf = (...numbers: number[]) => Buffer.from(Uint32Array.from(numbers).buffer);

  beforeAll(async () => {
    await open('once').command(
      `CREATE TABLE numbers_in (n UInt32, d UInt8 DEFAULT 1) ENGINE = MergeTree PARTITION BY n % 2 ORDER BY n
       SETTINGS non_replicated_deduplication_window = 100`,
    );
  });

  it('inserts rows once per token, and again with another token', async () => {
    const store = open('once');
    for (const token of ['a', 'a', 'b']) {
      await store.insert('numbers_in', ['n'], 'RowBinary', rowsOf(1, 2, 3), { token });
    }
    expect((await store.query('SELECT count(), sum(n), sum(d) FROM numbers_in')).rows).toEqual([[6, 12, 6]]);
  });

  it('distinguishes rows that can never be inserted from an unavailable store', async () => {
    const cut = open('once').insert('numbers_in', ['n'], 'RowBinary', Buffer.from([1, 2, 3]), { token: 'cut' });
    expect(isBadRows(await cut.catch((error: unknown) => error))).toBe(true);
    const away = createClickHouse({ url: 'http://127.0.0.1:9', database: 'x' });
    opened.push(away);
    const refused = away.insert('numbers_in', ['n'], 'RowBinary', rowsOf(1), { token: 'c' });
    expect(isBadRows(await refused.catch((error: unknown) => error))).toBe(false);
    expect(await away.ping()).toBe(false);
    expect(await open('once').ping()).toBe(true);
  });
});
