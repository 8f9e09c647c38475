import { describe, expect, it } from 'vitest';
import { type Evaluate, type EvaluatedRule, Unanswerable } from './evaluate.ts';
import type { EvaluateRange } from './evaluate-range.ts';
import { preview } from './preview.ts';
import type { Evaluators } from './preview-evaluations.ts';

const rule: EvaluatedRule = {
  name: 'rule',
  scope: { workspace: 1, project: 1, environment: undefined },
  place: { workspace: { id: 'w' }, project: { id: 'p' } },
  query: 'spans | stats value=count() by name',
  definition: {
    kind: 'threshold',
    condition: { op: '>', threshold: 0, for: '0s', keep_firing_for: '0s' },
    change: null,
    every: '1m',
    offset: '0s',
    window: '1m',
    labels: {},
    annotations: {},
    runbook_url: null,
    no_data: 'ok',
    missing_series: 'resolve',
    on_error: 'keep',
  },
};
const hour = { fromMs: 0, toMs: 3_600_000, offsetMs: 0 };
const { signal } = new AbortController();
const cost = { queries: 1, rowsRead: 10, bytesRead: 100 };
const firing =
  (count: number): Evaluate =>
  async () => ({
    samples: Array.from({ length: count }, (_, i) => ({
      identity: String(i),
      labels: { name: String(i) },
      value: 1,
      holds: true,
    })),
    cost,
    completeness: [],
  });

const noRanges: EvaluateRange = async () => {
  throw new Error('a rule in OQL is evaluated at one time after the other');
};
const by = (evaluate: Evaluate, evaluateRange = noRanges): Evaluators => ({ evaluate, evaluateRange });

describe('a preview', () => {
  it('counts the evaluations and their cost', async () => {
    const { evaluations, truncated, instances, cost: spent } = await preview(by(firing(2)), rule, hour, signal);
    expect({ evaluations, truncated, listed: instances.length }).toEqual({
      evaluations: 60,
      truncated: false,
      listed: 2,
    });
    expect(spent).toEqual({ queries: 60, rowsRead: 600, bytesRead: 6_000 });
  });

  it('lacks what the answer of any evaluation lacks', async () => {
    const whole = {
      complete: true,
      partial_buckets: [],
      unstored: null,
      missing_anchors: 0,
      sampled_share: 1,
      shards_away: 0,
    } as const;
    const evaluate: Evaluate = async (of, atMs, signal) => ({
      ...(await firing(1)(of, atMs, signal)),
      completeness: [atMs > 1_800_000 ? { ...whole, complete: false, missing_anchors: 3, sampled_share: 0.5 } : whole],
    });
    expect((await preview(by(evaluate), rule, { ...hour, toMs: 600_000 }, signal)).completeness).toEqual(whole);
    expect((await preview(by(evaluate), rule, hour, signal)).completeness).toMatchObject({
      complete: false,
      missing_anchors: 3,
      sampled_share: 0.5,
    });
  });

  it('says so when more instances fired than it lists', async () => {
    const { truncated, instances } = await preview(by(firing(501)), rule, hour, signal);
    expect({ truncated, listed: instances.length }).toEqual({ truncated: true, listed: 500 });
  });

  const inPromql = {
    ...rule,
    query: 'jobs > 1',
    definition: {
      ...rule.definition,
      query_language: 'promql' as const,
      condition: { for: '0s', keep_firing_for: '0s' },
    },
  };
  const ranges = (most: number) => {
    const asked: number[] = [];
    const evaluateRange: EvaluateRange = async (of, { times }, signal) => {
      asked.push(times.length);
      if (times.length > most) throw new Unanswerable('too many samples');
      const samples = await Promise.all(times.map(async (at) => (await firing(1)(of, at, signal)).samples));
      return { samples, cost, completeness: [] };
    };
    return { asked, evaluateRange };
  };

  it('evaluates PromQL at sixty times by one query', async () => {
    const { asked, evaluateRange } = ranges(60);
    const { evaluations, cost: spent } = await preview(
      by(firing(1), evaluateRange),
      inPromql,
      { ...hour, toMs: 5_400_000 },
      signal,
    );
    expect([asked, evaluations, spent.queries]).toEqual([[60, 30], 90, 2]);
  });

  it('evaluates PromQL one by one if a query for several times is too large, or uses start() or end()', async () => {
    const { asked, evaluateRange } = ranges(59);
    const { evaluations, cost: spent } = await preview(by(firing(1), evaluateRange), inPromql, hour, signal);
    expect([asked, evaluations, spent.queries]).toEqual([[60], 60, 60]);
    for (const query of ['jobs @ end() > 1', 'max_over_time((-jobs)[1h:1m] @ start()) > 1']) {
      const { asked: ofQuery, evaluateRange: any } = ranges(60);
      const one = await preview(by(firing(1), any), { ...inPromql, query }, hour, signal);
      expect([ofQuery, one.evaluations, one.cost.queries]).toEqual([[], 60, 60]);
    }
  });

  it('stops when every evaluation fails, and counts only those that it made', async () => {
    const failing: Evaluate = async () => {
      throw new Unanswerable('The query returns no number.');
    };
    const { evaluations, failed, error } = await preview(by(failing), rule, hour, signal);
    expect({ evaluations, failed, error }).toEqual({
      evaluations: 8,
      failed: 8,
      error: 'The query returns no number.',
    });
  });
});
