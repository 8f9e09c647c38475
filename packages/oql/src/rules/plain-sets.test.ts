import { expect, test } from 'vitest';
import { compile } from '../compile.ts';
import { NOW, SCOPE, WINDOW } from '../testing/fixture.ts';

const types = {
  metrics: [{ name: 'requests', kind: 'sum', temporality: 'cumulative', classic: false }],
  alike: true,
  checked: true,
} as const;

/** The statement of a query about a metric whose kinds are known, and how often it checks them. */
function compiled(query: string) {
  const result = compile(query, { scope: SCOPE, window: WINDOW, limit: 100, nowNs: NOW, types });
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return { ...result, checks: result.sql.split('fanion: another kind').length - 1 };
}

test.each([
  'metric requests | where job == "a" | rate | sum by shard, bucket(1m)',
  'metric requests | where job == "a" | promrate 5m | sum by shard, bucket(1m)',
  'metric requests | where job == "a" | avg by shard',
])('%s: reads the set of series without groups, and checks kinds in the lookup', (query) => {
  const { sql, checks, checksKinds } = compiled(query);
  expect({ checks, checksKinds }).toEqual({ checks: 1, checksKinds: true });
  const [, set] = /IN \((SELECT series .*?)\)\)\)/.exec(sql) ?? [];
  expect(set).toContain('FROM metric_series WHERE workspace = ');
  expect(set).not.toContain('GROUP BY');
});

test.each(['metric requests | where job == "a" | count', 'metric requests | where job == "a" | rate | count'])(
  '%s: has no lookup, so the set checks kinds',
  (query) => {
    const { checks, checksKinds } = compiled(query);
    expect(checks).toBeGreaterThan(0);
    expect(checksKinds).toBe(true);
  },
);
