import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedStore } from '../../../../oql/src/testing/engine.ts';
import { moveOldTelemetry } from './cold.ts';
import { type ClickHouse, createClickHouse } from './index.ts';
import { createMigratedDatabase } from './testing/migrated-database.ts';

const database = 'cold_storage';
let store: ClickHouse;
beforeAll(async () => {
  const { url } = await sharedStore();
  await createMigratedDatabase({ url, database });
  store = createClickHouse({ url, database });
});
afterAll(async () => {
  await store?.command(`DROP DATABASE ${database} SYNC`);
  await store?.close();
});

// The embedded engine has one volume. It shows the statements to be valid, and what they leave; not that parts move.
const cold = { policy: 'default', volume: 'default', afterDays: 7 };
const move = (to = cold) => moveOldTelemetry(store, { database, cluster: undefined }, to);
const ttlOf = async (table: string) => {
  const rows = await store.queryRows<{ engine_full: string }>(
    'SELECT engine_full FROM system.tables WHERE database = {database:String} AND name = {table:String}',
    { params: { database, table } },
  );
  return /TTL (.*) SETTINGS/.exec(rows[0]?.engine_full ?? '')?.[1];
};

describe('old telemetry', () => {
  it('moves in all large tables, and expires as before', async () => {
    const changed = await move();
    expect(changed).toEqual(expect.arrayContaining(['exemplars', 'logs', 'metric_points', 'profile_samples', 'spans']));
    expect(await ttlOf('spans')).toBe(
      `toDateTime(time) + toIntervalDay(retention_days), toDateTime(time) + toIntervalDay(7) TO VOLUME 'default'`,
    );
  });

  it('changes no table again at the next start, and all when the time changes', async () => {
    const all = await move();
    expect(all).toEqual([]);
    expect((await move({ ...cold, afterDays: 30 })).length).toBeGreaterThan(4);
    expect(await ttlOf('logs')).toMatch(/toIntervalDay\(30\) TO VOLUME 'default'$/);
  });

  it('leaves the rows where they are, without a mutation', async () => {
    const { rows } = await store.query('SELECT count() FROM system.mutations WHERE database = {database:String}', {
      params: { database },
    });
    expect(rows).toEqual([[0]]);
  });

  it('fails for a volume that the store does not have', async () => {
    await expect(move({ ...cold, volume: 'nowhere' })).rejects.toThrow(/volume `nowhere`|nowhere/);
    expect(await ttlOf('logs')).toMatch(/TO VOLUME 'default'$/);
  });
});
