import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compile } from './compile.ts';
import { boundForEngine, type Engine, startEngine } from './testing/engine.ts';
import { SCOPE } from './testing/fixture.ts';
import { type FixtureTable, rows, START } from './testing/world.ts';

/** Ten spans of which each stands for four, and two that stand for themselves. */
const SPANS: FixtureTable = {
  insert: `INSERT INTO spans (workspace, project, environment, retention_days, time, trace_id, span_id, service, name, weight)
    SELECT workspace, project, environment, 3650, fromUnixTimestamp64Nano(time, 'UTC'), toFixedString(hex(time % 999983), 16), toFixedString('s', 8),
    service, 'work', weight FROM format(JSONEachRow, 'workspace UInt32, project UInt32, environment String, time Int64, service String, weight Float64', {data})`,
  rows: rows(
    Array.from({ length: 12 }, (_, i) => ({
      ...SCOPE,
      environment: 'production',
      time: START + BigInt(i) * 1_000_000_000n,
      service: i < 10 ? 'shop' : 'bank',
      weight: i < 10 ? 4 : 1,
    })),
  ),
};
const window = { fromNs: START, toNs: START + 60_000_000_000n };
const compiled = (query: string) => {
  const result = compile(query, { scope: SCOPE, window, limit: 10, nowNs: window.toNs });
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join());
  return result;
};

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine([SPANS]);
});
afterAll(() => engine.stop());

describe('rows that are counted by weights', () => {
  it.each([
    ['spans | count', 12, 42],
    ['spans | where service.name == "shop" | stats count(), p50(duration), sum(duration)', 10, 40],
    ['spans | stats n=count() by service.name | top 1 by -n', 12, 42],
    // Of both windows, which overlap.
    ['spans | stats n=count() | compare 20s', 24, 84],
    ['spans | where service.name == "bank" | extend n = count() over all', 2, 2],
    ['spans | concurrency 10s', 0, 0],
    ['spans | patterns name', 12, 42],
    ['spans | patterns name | compare 20s', 24, 84],
    ['spans | contrast (service.name == "bank")', 12, 42],
    ['spans | fields name | union (logs | fields body) | count', 12, 42],
    ['traces | count', 12, 42],
    ['let slow = (spans | count); spans | where service.name == "bank" | count', 2, 2],
  ])('of %s', async (query, stored, represented) => {
    const { sampled, settings } = compiled(query);
    expect(sampled?.bySample).toBe(false);
    const found = sampled && (await engine.select(sampled.sql, boundForEngine(sampled.params), settings));
    expect(found?.[0]?.map(Number)).toEqual([stored, represented]);
  });

  it.each(['spans', 'spans | stats max(duration)', 'logs | count', 'flags "f" | count', 'metric m | sum'])(
    'are none in %s',
    (query) => {
      expect(compiled(query).sampled).toBeUndefined();
    },
  );

  it.each(['spans | sample 0.5 | count', 'logs | sample 0.5 | count'])('are a sample of the query in %s', (query) => {
    expect(compiled(query).sampled?.bySample).toBe(true);
  });
});
