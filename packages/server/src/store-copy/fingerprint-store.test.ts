import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTelemetryStore, type TelemetryStore } from '@fanion/embedded';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateTelemetry } from '../platform/clickhouse/index.ts';
import { fingerprint } from './fingerprint-store.ts';
import { copyBlock, listParts, listTelemetryTables, openTelemetrySide, type TelemetrySide } from './telemetry-store.ts';

const { signal } = new AbortController();
const work = mkdtempSync(join(tmpdir(), 'fanion-fingerprint-'));

/** Tables of each kind that merges combine, and rows of few keys. */
const filled: Readonly<Record<string, string>> = {
  slo_minutes: `SELECT 1, 1, 'production', toUUID('00000000-0000-0000-0000-000000000001'), toDateTime('2026-11-28 10:00:00') + number % 5 * 60,
    rand() % 9, rand() % 1000, 1000`,
  ingest_refusals: `SELECT 1, 1, 'production', 'spans', toDateTime('2026-11-28 10:00:00'), 'rejected', toString(number % 5), rand() % 3`,
  field_usage: `SELECT 1, 1, 'production', 30, 'spans', toDateTime('2026-11-28 10:00:00'), 'field', toString(number % 5), 'string', count(),
    uniqCombinedState(12)(toString(rand() % 40)), approx_top_sumState(50, 150)(toString(rand(1) % 99), toUInt64(rand() % 3))`,
};

describe('the fingerprint of a copy', () => {
  let store: TelemetryStore;
  let from: TelemetrySide;
  let to: TelemetrySide;

  beforeAll(async () => {
    const log = { info() {}, warn() {}, error() {} };
    store = await startTelemetryStore({ dir: work, memoryBytes: 1024 ** 3, log });
    await migrateTelemetry({ url: store.url, database: 'fanion' });
    from = openTelemetrySide(store.url);
    await from.clickhouse.command('CREATE DATABASE copy');
    to = openTelemetrySide(store.url);
  });
  afterAll(async () => {
    await from.close();
    await to.close();
    await store.stop();
    rmSync(work, { recursive: true });
  });

  const tableOf = async (name: string) => {
    const found = (await listTelemetryTables(from)).find((table) => table.name === name);
    if (found === undefined) throw new Error(`no table ${name}`);
    return found;
  };

  it.each(Object.keys(filled))('of %s is that of its source, however often parts were merged before', async (name) => {
    const table = await tableOf(name);
    const target = { ...table, name: `copy.${name}` };
    // Rows of an insert, and whether all parts are merged after it.
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), fc.boolean()), { minLength: 1, maxLength: 5 });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (inserts) => {
        await from.clickhouse.command(`TRUNCATE TABLE ${name}`);
        await from.clickhouse.command(`DROP TABLE IF EXISTS ${target.name} SYNC`);
        await from.clickhouse.command(`CREATE TABLE ${target.name} AS ${name}`);
        // A store that would slow down and refuse inserts while merges are stopped.
        const few = 'parts_to_delay_insert = 1, parts_to_throw_insert = 1';
        await from.clickhouse.command(`ALTER TABLE ${target.name} MODIFY SETTING ${few}`);
        await from.clickhouse.command(`SYSTEM STOP MERGES ${target.name}`);
        for (const [rows, isMerged] of inserts) {
          const grouped = name === 'field_usage' ? ' GROUP BY number % 5' : '';
          await from.clickhouse.command(`INSERT INTO ${name} ${filled[name]} FROM numbers(${rows})${grouped}`);
          if (isMerged) await from.clickhouse.command(`OPTIMIZE TABLE ${name} FINAL`);
        }
        const parts = (await listParts(from)).filter((part) => part.table === name);
        // Small parts are copied together, with rows that a merge would combine.
        const names = parts.map((part) => part.name);
        for (const block of [names.slice(0, -1), names.slice(-1)].filter(({ length }) => length > 0)) {
          const token = `${run} ${block.join()}`;
          await copyBlock(from, toTable(to, target.name), { table, block: { parts: block }, token, signal });
        }
        run++;
        expect(await fingerprint(to, target)).toEqual(await fingerprint(from, table));
      }),
      { numRuns: 8 },
    );
  });
});

/** Inserts into another table, which `copyBlock` does not name. */
function toTable(side: TelemetrySide, name: string): TelemetrySide {
  const insert: TelemetrySide['clickhouse']['insert'] = (_, ...rest) => side.clickhouse.insert(name, ...rest);
  return { ...side, clickhouse: { ...side.clickhouse, insert } };
}
