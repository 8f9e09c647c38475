import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile, decodeRow } from './index.ts';
import { boundForEngine, type Engine, startEngineOver } from './testing/engine.ts';
import { NOW, SCOPE, WINDOW } from './testing/fixture.ts';
import { expectRows } from './testing/golden/compare.ts';
import { GOLDEN } from './testing/golden/index.ts';
import { twoShards } from './testing/two-shards.ts';

/** Every golden query has its answer also where the tables are over the shards of a cluster. */
let engine: Engine;
beforeAll(async () => {
  engine = await startEngineOver(twoShards);
});
afterAll(() => engine?.stop());

test.each(['spans', 'logs', 'metric_points', 'flag_evaluations'])('both shards have rows of %s', async (table) => {
  const shards = await engine.select(`SELECT _shard_num, count() > 0 FROM ${table} GROUP BY 1 ORDER BY 1`);
  expect(shards.map(([shard]) => shard)).toEqual([1, 2]);
});

test.each(GOLDEN)('$query', async (golden) => {
  const compiled = compile(golden.query, { scope: SCOPE, window: WINDOW, limit: 10_000, nowNs: NOW });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics));
  const rows = await engine.select(compiled.sql, boundForEngine(compiled.params), compiled.settings);
  expectRows(
    rows.map((row) => decodeRow(compiled.columns, row)),
    golden,
  );
});
