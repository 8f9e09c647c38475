import { compile } from '@fanion/oql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClickHouse, createClickHouse, migrateTelemetry, migrations } from '../../../platform/clickhouse/index.ts';
import { boundParameters } from '../../../platform/gateway/plan/bound-parameters.ts';
import { count, startTestStore, type TestStore } from './testing/store.ts';

let store: TestStore;
beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());

/** Four granules. */
const ROWS = 30_000;
const startMs = Date.now() - 60_000;
const filters = 'value_filter,resource_filter,word_filter';

/** Row `i` has `order` in its attributes or, every fifth one, in its resource as well; every third attribute is empty. */
const rows = (table: string) => `
  INSERT INTO ${table} (workspace, project, environment, retention_days, time, service, string_attributes, resource${table === 'logs' ? ', body' : ''})
  SELECT if(number % 50 = 7, 2, 1), 1, 'production', 30, fromUnixTimestamp64Milli({start:Int64} + number % 9), concat('s', toString(number % 3)),
    map('order', if(number % 3 = 0, '', concat('n', toString(number))), 'tier', ['free', 'plus'][1 + number % 2]),
    if(number % 5 = 0, map('order', concat('n', toString(number))), CAST(map(), 'Map(String, String)'))
    ${table === 'logs' ? `, concat('Order N', toString(number), ' of Zoë-', toString(number % 11), ' placed')` : ''}
  FROM numbers({first:UInt32}, ${ROWS})`;

const insert = (table: string, first: number, leftOut = '', into: ClickHouse = store.store) =>
  into.command(rows(table), {
    params: { start: startMs, first },
    settings: { exclude_materialize_skip_indexes_on_insert: `by_value,by_resource,by_word,${leftOut}` },
  });

type Settings = Readonly<Record<string, string | number>>;

async function ask(query: string, settings: Settings = {}, of: ClickHouse = store.store) {
  const compiled = compile(query, {
    scope: { workspace: 1 },
    window: { fromNs: BigInt(startMs) * 1_000_000n, toNs: BigInt(startMs + 60_000) * 1_000_000n },
    limit: 100,
    nowNs: BigInt(Date.now()) * 1_000_000n,
  });
  if (!compiled.ok) throw new Error(compiled.diagnostics[0]?.message);
  const { rows: found, cost } = await of.query(compiled.sql, {
    params: boundParameters(compiled.params),
    settings: { ...compiled.settings, use_query_condition_cache: 0, ...settings },
  });
  return { found, rowsRead: cost.rowsRead };
}

const conditions = {
  spans: [
    'order == "n17"',
    'order == "n30015"',
    'order != "n17"',
    'not (order == "n10")',
    'order == ""',
    'order in ("n17", "n30", "none")',
    'order == "n17" or tier == "plus"',
    'tier == "plus" and order == "n30003"',
    'order == "none"',
  ],
  logs: [
    'body has "n17"',
    'body has "N30015 of"',
    'not (body has "n17")',
    'body has "Zoë-3"',
    'body has "ZOë"',
    'body has "7"',
    'body has "placed" and order == "n17"',
    'body has "nobody"',
  ],
} as const;

describe.each(['spans', 'logs'] as const)('filters of granules of %s', (table) => {
  const answers = (settings: Settings, of?: ClickHouse) =>
    Promise.all(
      conditions[table].map(async (condition) => {
        const { found } = await ask(
          `${table} | where ${condition} | stats n=count(), tiers=count_distinct(tier), last=max(time) by service.name`,
          settings,
          of,
        );
        return [condition, found];
      }),
    );

  it('change no answer, whichever parts have them', async () => {
    const check = async () => {
      const scanned = await answers({ use_skip_indexes: 0 });
      expect(await answers({})).toEqual(scanned);
      // As for a day that is over, with the text indexes of those parts that have them.
      expect(await answers({ ignore_data_skipping_indices: 'by_duration' })).toEqual(scanned);
      return scanned;
    };
    // A part of before the filters.
    await insert(table, 0, filters);
    await check();
    await insert(table, ROWS);
    const mixed = await check();
    await store.store.command(`OPTIMIZE TABLE ${table} FINAL`);
    expect(await check()).toEqual(mixed);
    await insert(table, 2 * ROWS, filters);
    await insert(table, 0);
    await check();
    for (const index of ['by_value', ...(table === 'logs' ? ['by_word'] : [])])
      await store.store.command(`ALTER TABLE ${table} MATERIALIZE INDEX ${index}`, { settings: { mutations_sync: 1 } });
    await check();
  });

  it('leave most of a part unread from its insert on', async () => {
    await store.store.command(`TRUNCATE TABLE ${table}`);
    await insert(table, 0);
    const rare = table === 'spans' ? 'order == "n19001"' : 'body has "n19001"';
    const { found, rowsRead } = await ask(`${table} | where ${rare} | stats n=count()`);
    expect(found).toEqual([['1']]);
    expect(rowsRead).toBeLessThan(ROWS / 2);
    const none = table === 'spans' ? 'order == "absent"' : 'body has "absent"';
    expect((await ask(`${table} | where ${none} | limit 20`)).found).toEqual([]);
  });

  it('come to a store of the version before, which answers the same', async () => {
    const database = `before_${table}`;
    const { url } = store.clickhouse;
    const before = createClickHouse({ url, database });
    try {
      await migrateTelemetry({ url, database, migrations: migrations.filter(({ id }) => id < 13) });
      await insert(table, 0, '', before);
      const scanned = await answers({}, before);
      // Existing parts are not rewritten.
      await migrateTelemetry({ url, database, migrations: migrations.filter(({ id }) => id < 25) });
      const mutations = `SELECT count() FROM system.mutations WHERE database = currentDatabase() AND table = '${table}'`;
      expect(await count(before, mutations)).toBe(0);
      expect(await answers({}, before)).toEqual(scanned);
      await migrateTelemetry({ url, database });
      expect(await answers({}, before)).toEqual(scanned);
      await before.command(`OPTIMIZE TABLE ${table} FINAL`);
      expect(await answers({}, before)).toEqual(scanned);
    } finally {
      await before.command(`DROP DATABASE IF EXISTS ${database} SYNC`);
      await before.close();
    }
  });
});
