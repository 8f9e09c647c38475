import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestStore, type TestStore } from './testing/store.ts';

let store: TestStore;
beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store?.close());

// Each file of a part had two buffers of 1 MiB, even of one record: more than 192 MiB together.
it('a log record is inserted with a sixth of the default memory of the engine', async () => {
  // Every column in files of its own, as in a part of a full block.
  await store.store.command('ALTER TABLE logs MODIFY SETTING min_bytes_for_wide_part = 0');
  await store.store.command(
    `INSERT INTO logs (workspace, project, environment, retention_days, time, service, string_attributes, resource)
     SELECT 1, 1, 'production', 30, now64(9), 'shop', map('order', 'n1'), map('host', 'a')`,
    // 96 of 576 MiB.
    { settings: { max_memory_usage: 96 * 1024 ** 2, max_insert_threads: 1 } },
  );
  expect((await store.store.query('SELECT count() FROM logs')).rows).toEqual([[1]]);
});
