import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryWorld } from '../../../testing/telemetry-world.ts';

describe("the server's own metrics", () => {
  let world: TelemetryWorld;
  beforeAll(async () => {
    world = await startTelemetryWorld();
  });
  afterAll(() => world?.stop());

  const text = async () => (await fetch(`${world.base}/internal/metrics`)).text();
  /** The name, type and help of each metric that is Fanion's own. */
  const described = (metrics: string) =>
    [...metrics.matchAll(/^# HELP (fanion_\w+) (.*)\n# TYPE \1 (\w+)$/gm)].map(([, name, help, type]) => ({
      ...{ name: name ?? '', help: help ?? '', type: type ?? '' },
    }));
  const value = (metrics: string, sample: string) =>
    Number(
      metrics
        .split('\n')
        .find((line) => line.startsWith(`${sample} `))
        ?.slice(sample.length + 1),
    );

  it('are all in docs/metrics.md, with their types and meanings, and nothing else is', async () => {
    const page = readFileSync(new URL('../../../../../../docs/metrics.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `(fanion_\w+)` \| (\w+) \| [^|]* \| ([^|]*) \|$/gm)].map(
      ([, name, type, help]) => ({ ...{ name, help, type } }),
    );
    const byName = (a: { name?: string }, b: { name?: string }) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1);
    expect(rows.sort(byName)).toEqual(described(await text()).sort(byName));
  });

  it("have names by Prometheus' conventions: only counters end in _total, and sizes and times are in base units", async () => {
    for (const { name, type } of described(await text())) {
      expect({ name, isTotal: name.endsWith('_total') }).toEqual({ name, isTotal: type === 'counter' });
      expect(name).not.toMatch(/_(ms|milliseconds|minutes|kib|mib)(_|$)/);
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
    }
  });

  it('count what was accepted, refused with its reason, and stored', async () => {
    const before = await text();
    const now = Date.now();
    const record = (ms: number) => ({ timeUnixNano: `${ms}000000`, body: { stringValue: 'counted' } });
    const logRecords = [record(now), record(now), record(now - 4_000 * 86_400_000)];
    await world.ada.ingest('logs', { resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
    await world.ada.counted('logs | where body == "counted" | stats n=count()', 2);
    const after = await text();
    const grown = (sample: string) => value(after, sample) - (value(before, sample) || 0);
    expect(grown('fanion_ingest_items_accepted_total{signal="logs"}')).toBe(2);
    expect(grown('fanion_ingest_requests_total{signal="logs"}')).toBe(1);
    expect(grown('fanion_ingest_rows_stored_total{table="logs"}')).toBe(2);
    const [refused = ''] =
      /^fanion_ingest_refused_total\{signal="logs",kind="rejected",reason="time is older than the retention"\}/m.exec(
        after,
      ) ?? [];
    expect(grown(refused)).toBe(1);
    expect(grown('fanion_ingest_insert_duration_seconds_count')).toBeGreaterThan(0);
    expect(value(after, 'fanion_wal_age_seconds')).toBe(0);
  });

  it('tell what runs, and of the control plane', async () => {
    const metrics = await text();
    expect(metrics).toMatch(
      new RegExp(
        `^fanion_build_info\\{version="\\d+\\.\\d+\\.\\d+",commit="[^"]*",node="${process.version}"\\} 1$`,
        'm',
      ),
    );
    // At any one moment all of them may be in use.
    await expect.poll(async () => value(await text(), 'fanion_postgres_connections{state="idle"}')).toBeGreaterThan(0);
    expect(value(metrics, 'fanion_outbox_lag_seconds')).toBeLessThan(60);
    expect(metrics).toMatch(/^fanion_job_runs_total\{kind="[a-z_.]+",outcome="finished"\} [1-9]/m);
    expect(metrics).toMatch(/^fanion_store_restarts_total\{store="telemetry"\} \d/m);
  });
});
