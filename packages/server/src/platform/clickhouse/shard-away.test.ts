import { ClickHouseError } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedStore } from '../../../../oql/src/testing/engine.ts';
import { testGateway } from '../../testing/test-gateway.ts';
import { clusterCodes } from './errors.ts';
import { type ClickHouse, clusterSettings, createClickHouse, isBadRows, isClusterFault } from './index.ts';

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
