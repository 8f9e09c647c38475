import { describe, expect, it } from 'vitest';
import { type Evaluate, type EvaluatedRule, Unanswerable } from './evaluate.ts';
import { preview } from './preview.ts';

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

describe('a preview', () => {
  it('counts the evaluations and their cost', async () => {
    const { evaluations, truncated, instances, cost: spent } = await preview(firing(2), rule, hour, signal);
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
    expect((await preview(evaluate, rule, { ...hour, toMs: 600_000 }, signal)).completeness).toEqual(whole);
    expect((await preview(evaluate, rule, hour, signal)).completeness).toMatchObject({
      complete: false,
      missing_anchors: 3,
      sampled_share: 0.5,
    });
  });

  it('says so when more instances fired than it lists', async () => {
    const { truncated, instances } = await preview(firing(501), rule, hour, signal);
    expect({ truncated, listed: instances.length }).toEqual({ truncated: true, listed: 500 });
  });

  it('stops when every evaluation fails, and counts only those that it made', async () => {
    const failing: Evaluate = async () => {
      throw new Unanswerable('The query returns no number.');
    };
    const { evaluations, failed, error } = await preview(failing, rule, hour, signal);
    expect({ evaluations, failed, error }).toEqual({
      evaluations: 8,
      failed: 8,
      error: 'The query returns no number.',
    });
  });
});
