import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tenantTables } from '../../../features.ts';
import { type ClickHouse, onCluster } from '../../../platform/clickhouse/index.ts';
import { until } from '../../../testing/test-client.ts';
import type { TenantTable } from '../../feature.ts';
import { startTestStore, type TestStore } from '../../telemetry/ingest/testing/store.ts';
import type { TelemetryPlace } from './telemetry-rules.ts';
import { deleteTelemetryFrom, deletionsOf } from './telemetry-store.ts';
import { clearTable } from './testing/clear-table.ts';

const removedAt = new Date('2026-11-20T12:00:00Z');
const signal = new AbortController().signal;
/** Every table with tenants except `trace_index`, which a view fills, and its time columns. */
const tables = {
  spans: ['time'],
  logs: ['time', 'observed_time'],
  metric_points: ['time'],
  metric_histograms: ['time'],
  exemplars: ['time'],
  metric_series: ['day'],
  arrivals: ['first_at', 'last_at', 'hour'],
} as const;
const withSeries = new Set(['metric_points', 'metric_histograms', 'exemplars', 'metric_series']);

describe('deleting telemetry', () => {
  let telemetry: TestStore;
  let clickhouse: ClickHouse;

  beforeAll(async () => {
    telemetry = await startTestStore();
    clickhouse = telemetry.store;
  });
  afterAll(async () => {
    await telemetry.close();
  });
  beforeEach(async () => {
    for (const table of [...Object.keys(tables), 'trace_index']) await clickhouse.command(`TRUNCATE TABLE ${table}`);
  });

  async function remove(place: TelemetryPlace): Promise<void> {
    for (const table of tenantTables) await clearTable(deleteTelemetryFrom(clickhouse), table, place);
  }

  /** Writes one row to each table; series 1 by default. */
  async function write(workspace: number, project: number, environment: string, at: string, series = 1): Promise<void> {
    for (const [table, times] of Object.entries(tables)) {
      const retention = table === 'arrivals' ? [] : [['retention_days', '30']];
      const columns = [
        ['workspace', String(workspace)],
        ['project', String(project)],
        ['environment', `'${environment}'`],
        ...retention,
        ...(withSeries.has(table) ? [['series', String(series)]] : []),
        ...times.map((time) => [time, `toDateTime('${at}', 'UTC')`]),
      ];
      await clickhouse.command(
        `INSERT INTO ${table} (${columns.map(([name]) => name).join(', ')}) SELECT ${columns.map(([, value]) => value).join(', ')}`,
      );
    }
  }
  async function left(): Promise<Record<string, string[]>> {
    const found: Record<string, string[]> = {};
    for (const table of [...Object.keys(tables), 'trace_index']) {
      const rows = await clickhouse.queryRows<{ place: string }>(
        `SELECT concat(toString(workspace), '/', toString(project), '/', environment) AS place FROM ${table} ORDER BY place`,
      );
      found[table] = rows.map(({ place }) => place);
    }
    return found;
  }
  const everywhere = (...places: string[]) =>
    Object.fromEntries([...Object.keys(tables), 'trace_index'].map((table) => [table, places]));

  it('deletes a whole workspace or project from every table, whatever the time of the rows', async () => {
    await write(1, 1, 'production', '2026-11-01 00:00:00');
    await write(1, 1, 'production', '2026-12-01 00:00:00', 2);
    await write(1, 2, 'production', '2026-11-20 11:00:00');
    await write(2, 1, 'production', '2026-11-20 11:00:00');
    const place = { removal: 'a', workspace: 1, project: 1, environment: undefined, before: undefined };
    await remove(place);
    expect(await left()).toEqual(everywhere('1/2/production', '2/1/production'));
    await remove(place);
    await remove({ ...place, project: undefined });
    expect(await left()).toEqual(everywhere('2/1/production'));
  }, 120_000);

  it('deletes older rows of an environment, and keeps those of a new one with the same key, series included', async () => {
    await write(1, 1, 'staging', '2026-11-20 11:00:00', 1);
    await write(1, 1, 'staging', '2026-11-20 13:00:00', 2);
    await write(1, 1, 'production', '2026-11-20 11:00:00', 3);
    await remove({ removal: 'b', workspace: 1, project: 1, environment: 'staging', before: removedAt });
    const found = await left();
    for (const table of Object.keys(tables)) expect(found[table], table).toEqual(['1/1/production', '1/1/staging']);
    const series = await clickhouse.queryRows<{ series: string }>(
      'SELECT toString(series) AS series FROM metric_series ORDER BY series',
    );
    expect(series.map((row) => row.series)).toEqual(['2', '3']);
  }, 120_000);

  const logs = tenantTables.find(({ name }) => name === 'logs') as TenantTable;
  const project = { removal: 'c', workspace: 1, project: 1, environment: undefined, before: undefined };
  const mutations = async () =>
    (
      await clickhouse.queryRows<{ command: string }>(
        `SELECT arrayStringConcat(groupArray(command)) AS command FROM system.mutations WHERE database = currentDatabase() AND table = 'logs' AND NOT is_done GROUP BY mutation_id ORDER BY mutation_id`,
      )
    ).map(({ command }) => command);

  it('orders a deletion once, in the partitions that have rows, however often a step is repeated', async () => {
    await write(1, 1, 'production', '2026-11-18 00:00:00');
    await write(1, 1, 'production', '2026-11-20 00:00:00');
    await write(2, 1, 'production', '2026-11-19 00:00:00');
    const step = deleteTelemetryFrom(clickhouse);
    await clickhouse.command('SYSTEM STOP MERGES logs');
    try {
      expect(await step(logs, project, signal)).toMatchObject({ state: 'deleting', parts: 2 });
      // A server that was killed after the order does not know of it.
      expect(await deleteTelemetryFrom(clickhouse)(logs, project, signal)).toMatchObject({ state: 'deleting' });
      expect(await step(logs, { ...project, removal: 'd', workspace: 2 }, signal)).toMatchObject({ parts: 1 });
      const ordered = await mutations();
      expect(ordered).toHaveLength(2);
      expect(ordered[0]?.match(/'\d+-30'/g)).toEqual(["'20261118-30'", "'20261120-30'"]);
      expect(ordered[1]?.match(/'\d+-30'/g)).toEqual(["'20261119-30'"]);
    } finally {
      await clickhouse.command('SYSTEM START MERGES logs');
    }
    await clearTable(step, logs, project);
    await clearTable(step, logs, { ...project, removal: 'd', workspace: 2 });
    expect((await left()).logs).toEqual([]);
  }, 120_000);

  it('withdraws a deletion that fails, so that those of others go on', async () => {
    await write(1, 1, 'production', '2026-11-20 00:00:00');
    await write(2, 1, 'production', '2026-11-20 00:00:00');
    const failing = { ...logs, isBefore: () => `throwIf(workspace = 1, 'on purpose') = 0` };
    const step = deleteTelemetryFrom(clickhouse);
    await clickhouse.command('SYSTEM STOP MERGES logs');
    const place = { ...project, before: removedAt };
    for (const statement of deletionsOf(failing, place, ['20261120-30']))
      await clickhouse.command(statement, { params: { ...place, before: 0 }, settings: { mutations_sync: 0 } });
    await clickhouse.command('SYSTEM START MERGES logs');
    const other = { ...project, removal: 'd', workspace: 2 };
    expect(await step(logs, other, signal)).toMatchObject({ state: 'deleting' });
    await until(async () => (await step(logs, project, signal)).state === 'failed');
    await clearTable(step, logs, other);
    expect((await left()).logs).toEqual(['1/1/production']);
  }, 120_000);

  it('deletes on all servers of a cluster: a golden file, and statements that the engine can parse', async () => {
    const place = { removal: 'e', workspace: 1, project: 1, environment: 'staging', before: removedAt };
    const cluster = { name: 'telemetry', database: 'fanion' };
    const erased = {
      ...place,
      environment: undefined,
      before: undefined,
      holds: { attribute: 'user.id', value: '8f3a' },
    };
    const statementsOf = (some: readonly TenantTable[], removed: TelemetryPlace) =>
      some.flatMap((table) => deletionsOf(table, removed, ['one', 'two']).flatMap((one) => onCluster(one, cluster)));
    const statements = [
      ...statementsOf(tenantTables, place),
      ...statementsOf(
        tenantTables.filter(({ holds }) => holds !== undefined),
        erased,
      ),
    ];
    await expect(`${statements.join(';\n\n')};\n`).toMatchFileSnapshot('./testing/removal-on-cluster.sql');
    const params = { ...place, ...erased.holds, before: 0 };
    for (const statement of statements) await clickhouse.command(`EXPLAIN AST ${statement}`, { params });
    const sent: string[] = [];
    const read: string[] = [];
    const record = {
      command: async (sql: string) => void sent.push(sql),
      // Mutations, partitions, and those that have rows.
      queryRows: async <Row extends object>(sql: string) => {
        read.push(sql);
        const found = /system.mutations/.test(sql)
          ? []
          : [
              { id: 'one', rows: '1' },
              { id: 'two', rows: '1' },
            ];
        return found as Row[];
      },
    };
    for (const removed of [place, erased])
      for (const table of tenantTables) await deleteTelemetryFrom(record, cluster)(table, removed, signal);
    expect(sent).toEqual(statements);
    const ofServers = read.filter((sql) => sql.includes('system.'));
    expect(ofServers.every((sql) => sql.includes("clusterAllReplicas('telemetry', system."))).toBe(true);
  });
});
