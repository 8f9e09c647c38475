import { ClickHouseError } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedStore } from '../../../../oql/src/testing/engine.ts';
import { testGateway } from '../../testing/test-gateway.ts';
import { clusterCodes } from './errors.ts';
import {
  type ClickHouse,
  clusterSettings,
  createClickHouse,
  findShards,
  isBadRows,
  isClusterFault,
  withoutShards,
} from './index.ts';
import { readShards } from './shards.ts';
import { createMigratedDatabase } from './testing/migrated-database.ts';

let store: ClickHouse;
beforeAll(async () => {
  const { url } = await sharedStore();
  const admin = createClickHouse({ url, database: 'default', maxConnections: 1 });
  await admin.command('CREATE DATABASE shard_away ENGINE = Atomic');
  await admin.command(
    `CREATE TABLE shard_away.logs_local (workspace UInt32, service String, time DateTime64(9)) ENGINE = MergeTree ORDER BY time SETTINGS non_replicated_deduplication_window = 100`,
  );
  await admin.command(
    `CREATE TABLE shard_away.logs AS remote('127.0.0.1,127.0.0.1:1', shard_away, logs_local, cityHash64(service, time))`,
  );
  await admin.close();
  store = createClickHouse({ url, database: 'shard_away', settings: { ...clusterSettings } });
});
afterAll(async () => {
  await store?.command('DROP DATABASE shard_away SYNC');
  await store?.close();
});

const scope = { workspace: 1, project: undefined, environment: undefined };
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a shard that is away', () => {
  it('fails a read with an error that says so and may be repeated', async () => {
    const { rows } = testGateway(store).lane('interactive');
    const read = rows(
      scope,
      'SELECT count() AS n FROM logs WHERE workspace = {workspace:UInt32}',
      {},
      AbortSignal.timeout(30_000),
    );
    await expect(read).rejects.toMatchObject({
      error: 'STORE_UNAVAILABLE',
      message: 'the telemetry store (a server of its cluster does not answer) is unavailable; try again',
    });
  });

  it('fails an insert that has rows for it, and keeps it to be repeated', async () => {
    const rows = [...Array(20).keys()].map((n) => `1\tshop ${n}\t2026-11-28 10:00:00`).join('\n');
    const insert = store.command(`INSERT INTO logs FORMAT TSV ${rows}\n`);
    const error = await failureOf(insert);
    expect(isClusterFault(error)).toBe(true);
    expect(isBadRows(error)).toBe(false);
  });

  it('is left out of a read that allows it', async () => {
    const { rows } = await store.query('SELECT count() >= 0 FROM logs', { settings: { skip_unavailable_shards: 1 } });
    expect(rows).toEqual([[1]]);
  });
});

describe('a query while a shard is away', () => {
  const servers = `(SELECT tupleElement(s, 1) AS shard_num, tupleElement(s, 2) AS host_name, 9000 AS port
    FROM (SELECT arrayJoin([(1, 'one'), (2, 'two-a'), (2, 'two-b')]) AS s))`;
  let whole: ClickHouse;
  beforeAll(async () => {
    const { url } = await sharedStore();
    await createMigratedDatabase({ url, database: 'shard_away_parts' });
    const parts = createClickHouse({ url, database: 'shard_away_parts', maxConnections: 1 });
    await parts.command('CREATE DATABASE shard_away_whole ENGINE = Atomic');
    await parts.command(
      "INSERT INTO logs (workspace, project, environment, service, time, retention_days) SELECT 1, 1, 'production', 'shop', toDateTime64('2026-11-28 10:00:00', 9), 9999 FROM numbers(3)",
    );
    const shards = "'127.0.0.1,127.0.0.1:1'";
    await parts.command(`CREATE TABLE shard_away_whole.logs AS remote(${shards}, shard_away_parts, logs)`);
    await parts.command(`CREATE TABLE shard_away_whole.one_of_each AS remote(${shards}, system, one)`);
    await parts.close();
    whole = createClickHouse({ url, database: 'shard_away_whole', settings: { ...clusterSettings } });
  });
  afterAll(async () => {
    for (const name of ['shard_away_whole', 'shard_away_parts'])
      await store?.command(`DROP DATABASE IF EXISTS ${name} SYNC`);
    await whole?.close();
  });

  const fromNs = BigInt(Date.parse('2026-11-28T09:30:00Z')) * 1_000_000n;
  const question = { oql: 'logs | stats n=count()', window: { fromNs, toNs: fromNs + 3_600_000_000_000n }, limit: 10 };
  const signal = AbortSignal.timeout(60_000);
  const gateway = () =>
    testGateway(whole, { findShards: (signal) => readShards(whole, servers, 'one_of_each', signal) });

  it.each(['interactive', 'alert'] as const)('fails in the lane %s, unless its caller allows less', async (lane) => {
    await expect(gateway().ask(scope, question, { lane, signal })).rejects.toMatchObject({
      error: 'STORE_UNAVAILABLE',
    });
  });

  it('answers from the other shards where that is allowed, and names the one that is missing', async () => {
    const answer = await gateway().ask(scope, question, { lane: 'interactive', signal, whenShardsAway: 'skip' });
    expect(answer.rows).toEqual([[3]]);
    expect(answer.completeness).toMatchObject({ complete: false, shards_away: 1, missing_anchors: null });
    expect(answer.warnings).toEqual([
      'shard 2 of the telemetry store (two-a:9000, two-b:9000) does not answer: its rows are missing, so counts and sums are too low',
    ]);
  });

  it('says in a stream, after the last row, that a shard is missing', async () => {
    const answer = await gateway().stream(scope, question, { lane: 'interactive', signal, whenShardsAway: 'skip' });
    const rows: unknown[] = [];
    for await (const batch of answer.batches) rows.push(...batch);
    expect(rows).toEqual([[3]]);
    expect(answer.told.completeness).toMatchObject({ complete: false, shards_away: 1 });
  });

  it('fails where no shard answers, or the look finds all of them again', async () => {
    for (const answers of [false, true]) {
      const shards = [1, 2].map((number) => ({ number, servers: [], answers }));
      const asked = testGateway(whole, { findShards: async () => shards });
      await expect(
        asked.ask(scope, question, { lane: 'interactive', signal, whenShardsAway: 'skip' }),
      ).rejects.toMatchObject({ error: 'STORE_UNAVAILABLE' });
    }
  });

  it('fails rather than leave out more shards than are known to be away', async () => {
    await store.command(
      `CREATE TABLE shard_away.two_away AS remote('127.0.0.1,127.0.0.1:1,127.0.0.1:2', shard_away, logs_local)`,
    );
    const away = [2, 3].map((number) => ({ number, servers: [], answers: false }));
    const count = (known: typeof away) =>
      store.query('SELECT count() FROM two_away', { settings: withoutShards(known) });
    expect((await count(away)).rows).toHaveLength(1);
    expect(isClusterFault(await failureOf(count(away.slice(0, 1))))).toBe(true);
  });

  it('looks at the shards of a cluster by its name, read-only', async () => {
    const signal = AbortSignal.timeout(30_000);
    // The embedded engine has no cluster; it would refuse first what a read may not do.
    await expect(findShards(store, { name: 'telemetry' }, signal)).rejects.toThrow(
      "Requested cluster 'telemetry' not found",
    );
  });
});

describe('errors of a cluster', () => {
  it('have the codes of this version of the store', async () => {
    const codes = [...clusterCodes.keys()];
    const { rows } = await store.query('SELECT errorCodeToName(arrayJoin({codes:Array(Int32)}))', {
      params: { codes },
    });
    expect(rows.flat()).toEqual([...clusterCodes.values()]);
  });

  it('keep rows whose connection to another server broke, and give up rows that end too early', () => {
    const error = (message: string) => new ClickHouseError({ message, code: '32', type: 'ATTEMPT_TO_READ_AFTER_EOF' });
    const broken = error('Attempt to read after eof: while receiving packet from clickhouse-2-1:9000');
    expect([isBadRows(broken), isClusterFault(broken)]).toEqual([false, true]);
    const short = error('Attempt to read after eof: (at row 3)');
    expect([isBadRows(short), isClusterFault(short)]).toEqual([true, false]);
  });
});
