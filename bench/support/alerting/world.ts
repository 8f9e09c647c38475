import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTelemetryStore } from '@fanion/embedded';
import { createEvaluate, type Evaluate } from '../../../packages/server/src/features/alerting/alert-rules/evaluate.ts';
import { AlertRunner } from '../../../packages/server/src/features/alerting/alert-rules/runner.ts';
import { shardOf } from '../../../packages/server/src/features/alerting/alert-rules/spread.ts';
import { testDefinition } from '../../../packages/server/src/features/alerting/notifications/testing/alerting-world.ts';
import { testControlPlane } from '../../../packages/server/src/features/testing/control-plane.ts';
import { promptArrivals } from '../../../packages/server/src/platform/arrivals/testing/prompt-arrivals.ts';
import { createClickHouse, migrateTelemetry } from '../../../packages/server/src/platform/clickhouse/index.ts';
import { newId } from '../../../packages/server/src/platform/ids.ts';
import { createLog } from '../../../packages/server/src/platform/log.ts';
import type { Database } from '../../../packages/server/src/platform/postgres/database.ts';
import { testGateway } from '../../../packages/server/src/testing/test-gateway.ts';

export interface Rule {
  readonly query: string;
  readonly threshold: number;
  readonly window: string;
}

/** How rules were evaluated. Times are milliseconds, processor time is seconds. */
export interface Evaluations {
  readonly count: number;
  readonly failed: number;
  readonly missed: number;
  /** Queries that the store was asked. */
  readonly queries: number;
  /** From the slot to the end of the evaluation. */
  readonly lateness: readonly number[];
  readonly seconds: number;
  /** Of this process: the runner, the gateway, and its connections. */
  readonly ownCpu: number;
  /** Of the processes of both stores. */
  readonly storesCpu: number;
}

const offsetMs = 30_000;
/** Two rounds of rules, and the garbage of the start: the collections that follow it took a third of a second (2026-11-22). */
export const warmUpMs = 125_000;

/** A control plane and a telemetry store with series and spans of the last hour and of the next ten minutes. */
export async function rulesWorld(db: Database) {
  const dir = await mkdtemp(join(tmpdir(), 'fanion-alerting-'));
  const quiet = { info() {}, warn: console.error, error: console.error };
  const engine = await startTelemetryStore({ dir, memoryBytes: 1024 ** 3, log: quiet });
  await migrateTelemetry({ url: engine.url, database: 'fanion' });
  const clickhouse = createClickHouse({ url: engine.url, database: 'fanion', maxConnections: 16 });
  const plane = testControlPlane(db);
  const tenant = await plane.addTenant('bench');
  const row = await db
    .selectFrom('projects as p')
    .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
    .select(['p.number as project', 'w.number as workspace'])
    .where('p.id', '=', tenant.project.id)
    .executeTakeFirstOrThrow();
  const place = `${row.workspace}, ${row.project}, '', 30`;
  const clock = { now: Date.now };
  const gateway = testGateway(clickhouse);

  return {
    /** One point each 15 s in each of these series of the gauge `queue.size`, by service; the values are from 0 to 100. */
    async addSeries(count: number): Promise<void> {
      await clickhouse.command(`INSERT INTO metric_series (workspace, project, environment, retention_days, day, metric, series, kind, temporality, monotonic, unit, service, resource, attributes)
        SELECT ${place}, arrayJoin([toDate(now('UTC')), toDate(now('UTC') - INTERVAL 1 HOUR), toDate(now('UTC') + INTERVAL 10 MINUTE)]), 'queue.size', number + 1, 'gauge', 'unspecified', false, '1',
        'svc-' || toString(number), map('service.name', 'svc-' || toString(number)), map() FROM numbers(${count})`);
      await clickhouse.command(`INSERT INTO metric_points (workspace, project, environment, retention_days, metric, series, time, start_time, value)
        SELECT ${place}, 'queue.size', number % ${count} + 1, now64(3, 'UTC') - INTERVAL 1 HOUR + toIntervalSecond(intDiv(number, ${count}) * 15), toDateTime64(0, 3, 'UTC'), cityHash64(number) % 101
        FROM numbers(${count} * 280)`);
    },

    /** So many spans a second of 50 services with 20 operations each; one in a hundred fails. */
    async addSpans(perSecond: number): Promise<void> {
      const chunk = 50_000;
      for (let at = 0; at < perSecond * 900; at += chunk)
        await clickhouse.command(`INSERT INTO spans (workspace, project, environment, retention_days, time, duration, trace_id, span_id, parent_span_id, service, name, kind, status, resource)
        SELECT ${place}, now64(9, 'UTC') - INTERVAL 5 MINUTE + toIntervalMicrosecond(intDiv(number * 1000000, ${perSecond})), cityHash64(number) % 1000000000,
        toFixedString(unhex(leftPad(hex(number), 32, '0')), 16), toFixedString(unhex(leftPad(hex(number + 1), 16, '0')), 8), toFixedString('', 8),
        'svc-' || toString(number % 50), 'GET /' || toString(cityHash64(number, 2) % 20), 'server', if(cityHash64(number, 3) % 100 = 0, 'error', 'ok'),
        map('service.name', 'svc-' || toString(number % 50)) FROM numbers(${at}, ${chunk})`);
    },

    async addRules(rules: readonly Rule[]): Promise<void> {
      const now = new Date();
      const rows = rules.map(({ query, threshold, window }, n) => {
        const id = newId(now.getTime());
        const condition = { ...testDefinition.condition, threshold };
        const definition = { ...testDefinition, condition, window, every: '1m', offset: `${offsetMs / 1_000}s` };
        return {
          id,
          workspace_id: tenant.workspace.id,
          project_id: tenant.project.id,
          environment: null,
          shard: shardOf(id),
          name: `rule ${n}`,
          query,
          definition: JSON.stringify(definition),
          enabled: true,
          created_by: null,
          created_at: now,
          updated_at: now,
          evaluated_at: null,
          last_error: null,
          slo_id: null,
        };
      });
      for (let at = 0; at < rows.length; at += 500)
        await db
          .insertInto('alert_rules')
          .values(rows.slice(at, at + 500))
          .execute();
    },

    /** Evaluates the rules for so long, after a first time that is not measured. */
    async evaluate(seconds: number): Promise<Evaluations> {
      const counted = { count: 0, failed: 0, queries: 0, lateness: [] as number[] };
      let isMeasured = false;
      const asking = {
        ...gateway,
        ask: (...asked: Parameters<typeof gateway.ask>) => {
          if (isMeasured) counted.queries++;
          return gateway.ask(...asked);
        },
      };
      const inner = createEvaluate({
        gateway: asking,
        promql: { evaluate: () => Promise.reject(new Error('the rules of the bench are in OQL')) },
        lane: 'alert',
        db,
        clock,
        limits: { instances: 1_000, querySeconds: 20 },
      });
      const evaluate: Evaluate = async (rule, at, signal) => {
        try {
          return await inner(rule, at, signal);
        } catch (error) {
          if (isMeasured) counted.failed++;
          throw error;
        } finally {
          if (isMeasured) {
            counted.count++;
            counted.lateness.push(Date.now() - (at + offsetMs));
          }
        }
      };
      const runner = new AlertRunner({
        db,
        clock,
        log: createLog('warn'),
        holder: newId(),
        evaluate,
        notifications: { fired: async () => {}, wake() {} },
        arrivals: promptArrivals,
      });
      runner.start();
      await sleep(warmUpMs);
      const missedBefore = await missed();
      isMeasured = true;
      const [cpu, stores] = [process.cpuUsage(), await cpuOfStores()];
      await sleep(seconds * 1_000);
      const { user, system } = process.cpuUsage(cpu);
      const storesCpu = (await cpuOfStores()) - stores;
      isMeasured = false;
      const missedNow = (await missed()) - missedBefore;
      await runner.stop();
      return { ...counted, missed: missedNow, seconds, ownCpu: (user + system) / 1e6, storesCpu };
    },

    async stop(): Promise<void> {
      await clickhouse.close();
      await gateway.compiler.stop();
      await engine.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };

  async function missed(): Promise<number> {
    const { count } = await db
      .selectFrom('alert_rules')
      .select(({ fn }) => fn.sum<string>('missed').as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  }
}

/** Processor time of both embedded stores, in seconds: this process also starts a compiler, and Prometheus. */
async function cpuOfStores(): Promise<number> {
  let ticks = 0;
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const fields = statOf(pid);
    if (fields?.[1] !== String(process.pid) || !commandOf(pid).includes('packages/embedded')) continue;
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / 100;
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** The fields of a process after its name: its state, its parent, …; undefined: it has ended. */
export function statOf(pid: string | number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ');
  } catch {
    return undefined;
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
