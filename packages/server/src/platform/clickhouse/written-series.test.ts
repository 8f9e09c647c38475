import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTelemetryStore } from '@fanion/embedded';
import { expect, onTestFinished, test } from 'vitest';
import { createClickHouse, migrateTelemetry, migrations } from './index.ts';

test('the column `written` is equal for series from before the migration and for new ones', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'fanion-written-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const log = { info() {}, warn() {}, error() {} };
  const engine = await startTelemetryStore({ dir, memoryBytes: 1024 ** 3, log });
  onTestFinished(() => engine.stop());
  const target = { url: engine.url, database: 'fanion' };
  const store = createClickHouse(target);
  onTestFinished(() => store.close());
  /** The number of a series says what it is: even ones came by remote write. */
  const insert = (first: number) =>
    store.command(
      `INSERT INTO metric_series (workspace, day, retention_days, metric, series, resource, attributes) VALUES
       (1, today(), 20000, 'up', ${first}, map('service.name', 'shop', 'service.instance.id', 'a:1'), map('job', 'shop', 'instance', 'a:1')),
       (1, today(), 20000, 'up', ${first + 1}, map('service.name', 'shop', 'host.name', 'a'), map('job', 'shop', 'instance', 'a:1')),
       (1, today(), 20000, 'up', ${first + 2}, map('service.namespace', 'eu', 'service.name', 'shop'), map('job', 'eu/shop')),
       (1, today(), 20000, 'up', ${first + 3}, map('service.name', 'shop'), map('route', '/'))`,
    );
  const written = async () =>
    (await store.query('SELECT series, written FROM metric_series ORDER BY series')).rows.map(([, is]) => is);
  const expected = [true, false, true, false];

  await migrateTelemetry({ ...target, migrations: migrations.filter(({ id }) => id < 34) });
  await insert(0);
  expect(await migrateTelemetry({ ...target, migrations: migrations.filter(({ id }) => id <= 34) })).toEqual([34]);
  expect(await written()).toEqual(expected);
  await insert(4);
  expect(await written()).toEqual([...expected, ...expected]);
  await store.command('OPTIMIZE TABLE metric_series FINAL');
  expect(await written()).toEqual([...expected, ...expected]);
});
