import { describe, expect, it } from 'vitest';
import { type CompileOptions, compile } from '../index.ts';
import { START } from '../testing/world.ts';

const MINUTE = 60_000_000_000n;
const START_MS = Number(START / 1_000_000n);
const options: CompileOptions = {
  scope: { workspace: 7, project: 1, environment: 'production' },
  window: { fromNs: START + 90_000_000_000n, toNs: START + 10n * MINUTE },
  limit: 100,
  nowNs: START + 10n * MINUTE,
};

function recentOf(query: string, other: Partial<CompileOptions> = {}) {
  const compiled = compile(query, { ...options, ...other });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map(({ message }) => message).join());
  return compiled.recent;
}

describe('a query that recent points can answer', () => {
  it('names its points, conditions, buckets and columns', () => {
    const query = 'metric "http.requests" | where job == "a" and code != "500" | promrate 5m | sum by job, bucket(1m)';
    const job = { places: ['attributes', 'resource'], keys: ['job'] };
    const code = { places: ['attributes', 'resource'], keys: ['code'] };
    expect(recentOf(query)).toEqual({
      metric: 'http.requests',
      // The first bucket begins with the minute, and its end includes points. Those at the beginning of its range are left out later.
      fromMs: START_MS + 120_000 - 300_000,
      toMs: START_MS + 600_001,
      project: 1,
      environment: 'production',
      conditions: [
        { label: job, texts: ['a'], isNegated: false },
        { label: code, texts: ['500'], isNegated: true },
      ],
      fn: { kind: 'prometheus', perSecond: true, overMs: 300_000 },
      buckets: { firstMs: START_MS + 60_000, stepMs: 60_000, count: 9, endMs: START_MS + 600_000 },
      keys: [job, 'bucket'],
      aggregates: ['sum'],
    });
  });

  it.each([
    'metric m | sum',
    'metric m | count by job',
    'metric m | stats low=min(value), high=max(value), mean=avg(value), n=count() by service.name, bucket(auto)',
    'metric m | rate | sum by attr.job, bucket(1m)',
    'metric m | increase 5m | sum by resource.job, at=bucket(1m)',
    'metric m | delta | max by environment',
    'metric m | promincrease | avg by http.method, bucket(5m)',
    'metric m | where job in ("a", "b") and code not in ("500") | where "x" != job | rate | sum',
    'metric m | where true | rate | sum by bucket(1m)',
    'from -5m; metric m | rate | sum by bucket(1m)',
  ])('%s', (query) => {
    expect(recentOf(query)).toBeDefined();
  });

  it('is one bucket without a step', () => {
    const { firstMs, ...buckets } = { ...recentOf('metric m | rate | sum')?.buckets };
    expect([firstMs, buckets]).toEqual([START_MS + 90_000, { stepMs: 510_000, count: 1, endMs: START_MS + 600_000 }]);
  });

  it('reads labels by their old and new names', () => {
    expect(recentOf('metric m | count by http.method')?.keys).toEqual([
      { places: ['attributes', 'resource'], keys: ['http.request.method', 'http.method'] },
    ]);
  });

  it('has no project or environment where the scope has none', () => {
    const recent = recentOf('metric m | rate | sum', { scope: { workspace: 7 } });
    expect(recent).not.toHaveProperty('project');
    expect(recent).not.toHaveProperty('environment');
  });
});

describe('a query that needs more than recent points', () => {
  it.each([
    'logs | count',
    'spans | avg(duration) by bucket(1m)',
    'metric m',
    'metric m | promrate 5m',
    'metric m | where value > 1 | sum',
    'metric m | promrate | where value > 1 | sum',
    'metric m | where job == "a" or job == "b" | promrate | sum',
    'metric m | where not (job == "a" and code == "b") | promrate | sum',
    'metric m | where job exists | promrate | sum',
    'metric m | promrate | where job == "a" | sum',
    'metric m | where job =~ "a.*" | promrate | sum',
    'metric m | where job > "a" | promrate | sum',
    'metric m | where code == 500 | promrate | sum',
    'metric m | where kind == gauge | sum',
    'metric m | where job in (logs | dedup service.name | fields service.name) | promrate | sum',
    'metric m | where start_time exists | sum',
    'metric m | where job["a"] == "b" | sum',
    'metric m | where attr["job"] == "b" | sum',
    'metric m | where scope.job == "b" | sum',
    'metric m | where lower(job) == "a" | sum',
    'metric m | promrate | sum by kind',
    'metric m | promrate | sum by series',
    'metric m | promrate | sum by lower(job)',
    'metric m | promrate | sum by bucket(value, 10)',
    'metric m | promrate | sum by bucket(time, 1m)',
    'metric m | sum by bucket(1d, "Europe/Berlin")',
    'metric m | promrate | p90 by bucket(1m)',
    'metric m | promrate | stats x=sum(value * 2)',
    'metric m | promrate | stats x=sum(value) / 2',
    'metric m | promrate | stats x=sum(start_time - time)',
    'metric m | promrate | stats x=count(value)',
    'metric m | promrate | stats x=sum_if(value, job == "a")',
    'metric m | promrate | sum by job | sort -sum',
    'metric m | promrate | sum by job | top 5 by sum',
    'metric m | promrate | sum by job, bucket(1m) | fill 0',
    'metric m | promrate | sum by job | limit 5',
    'metric m | offset 1h | promrate | sum',
    'metric m | irate 5m | sum',
    'metric m | latest 5m | sum by job',
    'metric m | extend x = 1 | sum',
    'metric =~ "m.*" | sum',
    'metric "m_bucket" | promrate | sum by job',
    'let x = (metric m); x | sum',
    'metric m | promrate 1500us | sum by bucket(1s)',
  ])('%s', (query) => {
    const compiled = compile(query, options);
    if (compiled.ok) expect(compiled.recent).toBeUndefined();
    else expect(compiled.diagnostics.map(({ message }) => message)).toEqual([]);
  });

  it('whose window is not of whole milliseconds', () => {
    const window = { fromNs: START + 1n, toNs: START + MINUTE };
    expect(recentOf('metric m | promrate | sum', { window })).toBeUndefined();
  });

  it('that may be answered from roll-ups', () => {
    const window = { fromNs: START - 1_440n * MINUTE, toNs: START };
    expect(recentOf('metric m | rate | sum by bucket(1h)', { window })).toBeUndefined();
    expect(recentOf('metric m | promrate | sum by bucket(1h)', { window })).toBeDefined();
  });

  it('that reads a label which may be inside of a map', () => {
    const fields = [{ signal: 'metric' as const, scope: 'attribute' as const, name: 'a', types: ['string' as const] }];
    expect(recentOf('metric m | sum by a.b', { catalogue: { fields } })).toBeUndefined();
    expect(recentOf('metric m | sum by a.b', { catalogue: { fields: [] } })).toBeDefined();
  });

  it('that is a table of another statement', () => {
    expect(recentOf('metric m | sum by job', { asTable: true })).toBeUndefined();
  });
});
