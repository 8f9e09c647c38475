import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tenantTables } from '../../../features.ts';
import { type ClickHouse, onCluster } from '../../../platform/clickhouse/index.ts';
import { startTestStore, type TestStore } from '../../telemetry/ingest/testing/store.ts';
import { deleteTelemetryFrom, deletionsOf } from './telemetry-store.ts';

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
    const remove = deleteTelemetryFrom(clickhouse, tenantTables);
    const place = { workspace: 1, project: 1, environment: undefined, before: undefined };
    await remove(place, signal);
    expect(await left()).toEqual(everywhere('1/2/production', '2/1/production'));
    await remove(place, signal);
    await remove({ ...place, project: undefined }, signal);
    expect(await left()).toEqual(everywhere('2/1/production'));
  }, 120_000);

  it('deletes older rows of an environment, and keeps those of a new one with the same key, series included', async () => {
    await write(1, 1, 'staging', '2026-11-20 11:00:00', 1);
    await write(1, 1, 'staging', '2026-11-20 13:00:00', 2);
    await write(1, 1, 'production', '2026-11-20 11:00:00', 3);
    const place = { workspace: 1, project: 1, environment: 'staging', before: removedAt };
    await deleteTelemetryFrom(clickhouse, tenantTables)(place, signal);
    const found = await left();
    for (const table of Object.keys(tables)) expect(found[table], table).toEqual(['1/1/production', '1/1/staging']);
    const series = await clickhouse.queryRows<{ series: string }>(
      'SELECT toString(series) AS series FROM metric_series ORDER BY series',
    );
    expect(series.map((row) => row.series)).toEqual(['2', '3']);
  }, 120_000);

  it('deletes on all servers of a cluster: a golden file, and statements that the engine can parse', async () => {
    const place = { workspace: 1, project: 1, environment: 'staging', before: removedAt };
    const statements = deletionsOf(tenantTables, place).flatMap((one) =>
      onCluster(one, { name: 'telemetry', database: 'fanion' }),
    );
    await expect(`${statements.join(';\n\n')};\n`).toMatchFileSnapshot('./testing/removal-on-cluster.sql');
    const params = { ...place, before: 0 };
    for (const statement of statements) await clickhouse.command(`EXPLAIN AST ${statement}`, { params });
    const sent: string[] = [];
    const record = { command: async (sql: string) => void sent.push(sql) };
    await deleteTelemetryFrom(record, tenantTables, { name: 'telemetry', database: 'fanion' })(place, signal);
    expect(sent).toEqual(statements);
  });
});
