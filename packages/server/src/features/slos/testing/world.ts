import { promptArrivals } from '../../../platform/arrivals/testing/prompt-arrivals.ts';
import type { JobRun } from '../../../platform/jobs/index.ts';
import type { RecentPoints } from '../../../platform/recent-points/index.ts';
import { startTestPglite, type TestStore as TestControlStore } from '../../../testing/test-database.ts';
import { testGateway } from '../../../testing/test-gateway.ts';
import { startTestStore, type TestStore } from '../../telemetry/ingest/testing/store.ts';
import { createPromqlEvaluator } from '../../telemetry/promql/index.ts';
import { testControlPlane } from '../../testing/control-plane.ts';

const dayMs = 86_400_000;

/** Both stores, and a clock that stands at noon of yesterday: telemetry of the day before is not too old. */
export async function startSloWorld() {
  const control: TestControlStore = await startTestPglite();
  const telemetry: TestStore = await startTestStore();
  const database = await control.fresh();
  const plane = testControlPlane(database.db);
  plane.clock.ms = Math.floor(Date.now() / dayMs) * dayMs - dayMs / 2;
  const gateway = testGateway(telemetry.store, { clock: plane.clock });
  const promql = createPromqlEvaluator({
    gateway,
    unstored: async () => ({ items: 0, since: undefined, earliest: 0 }),
    limits: { series: 10_000, samples: 1_000_000, steps: 11_000 },
    seconds: 30,
  });
  const kept = { traces: 30, logs: 30, metrics: 30, profiles: 30 };
  const retention = { classes: { default: 30, allowed: [30] }, of: async () => kept, forget() {} };
  const config = {
    slos: { perWorkspace: 1_000, recountDays: 7 },
    recordingRules: { perWorkspace: 1_000, series: 10_000 },
  };
  /** Metrics whose points were written. */
  const written: string[] = [];
  const recentPoints: Pick<RecentPoints, 'changing'> = {
    async changing(place, change) {
      if (place.metric !== undefined) written.push(place.metric);
      return change();
    },
  };
  const arrivals = { ...promptArrivals };
  const dependencies = {
    ...plane.dependencies,
    ...{ gateway, promql, recentPoints, retention, config, arrivals, clickhouse: telemetry.store },
  };
  const { signal } = new AbortController();
  let epoch = 0;

  /** A run of a job that holds its lease. @param commit how its effects are committed */
  function run(commit: JobRun['commit'] = (effects) => database.db.transaction().execute(effects)): JobRun {
    epoch++;
    return {
      name: 'test',
      payload: null,
      scheduledFor: new Date(plane.clock.ms),
      epoch,
      signal,
      now: () => plane.clock.ms,
      commit,
      finish: async () => {},
    };
  }

  return {
    db: database.db,
    plane,
    gateway,
    dependencies,
    written,
    store: telemetry.store,
    signal,
    run,
    /** Adds spans that begin at these times. */
    async addSpans(
      place: { workspace: { number: number }; project: { number: number } },
      spans: readonly { ms: number; failed?: boolean; service?: string; trace?: string }[],
    ) {
      const lines = spans.map(({ ms, failed = false, service = 'checkout', trace }) =>
        JSON.stringify({
          workspace: place.workspace.number,
          project: place.project.number,
          environment: 'production',
          retention_days: 3_650,
          time: new Date(ms).toISOString().replace('T', ' ').replace('Z', ''),
          service,
          name: 'GET /cart',
          status: failed ? 'error' : 'ok',
          ...(trace !== undefined && { trace_id: Buffer.from(trace, 'hex').toString('latin1') }),
        }),
      );
      if (lines.length > 0) await telemetry.store.command(`INSERT INTO spans FORMAT JSONEachRow ${lines.join('\n')}`);
    },
    async close() {
      await gateway.compiler.stop();
      await database.close();
      await telemetry.close();
      await control.close();
    },
  };
}
export type SloWorld = Awaited<ReturnType<typeof startSloWorld>>;
