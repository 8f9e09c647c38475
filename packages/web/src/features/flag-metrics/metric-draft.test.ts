import { describe, expect, it } from 'vitest';
import { bodyOf, copyOf, draftOf, emptyDraft, explainable, type MetricDraft, problemsOf } from './metric-draft.ts';
import { joinedText } from './metric-words.ts';
import type { Explanation, Metric } from './queries.ts';

const draft = (change: Partial<MetricDraft>): MetricDraft => ({
  ...emptyDraft,
  name: 'Slow pages',
  source: 'spans',
  ...change,
});
const metric: Metric = {
  id: '0191f5a0-0000-7000-8000-000000000001',
  key: 'p99',
  name: 'p99',
  description: '',
  kind: 'quantile',
  source: 'spans',
  value: 'duration',
  denominator: null,
  quantile: 0.99,
  steps: null,
  retention: null,
  unit: 'trace_id',
  window: '1d',
  direction: 'down_is_good',
  cap: null,
  guardrail: true,
  built_in: false,
  version: 3,
  created_by: null,
  updated_by: null,
  created_at: null,
  updated_at: null,
};

describe('drafts of metrics', () => {
  it('send only the fields that their kind has', () => {
    expect(bodyOf(draft({ value: 'duration', cap: '99' }))).toEqual({
      key: 'slow-pages',
      name: 'Slow pages',
      description: '',
      kind: 'conversion',
      source: 'spans',
      unit: 'trace_id',
      window: null,
      direction: 'up_is_good',
      guardrail: false,
    });
    expect(bodyOf(draft({ kind: 'sum', value: ' duration ', cap: '99.9' }))).toMatchObject({
      value: 'duration',
      cap: 0.999,
    });
    expect(bodyOf(draft({ kind: 'ratio', value: '1' }))).not.toHaveProperty('denominator');
    expect(bodyOf(draft({ kind: 'retention' }))).toMatchObject({ retention: { from: '1d', to: '7d' } });
  });

  it('keep what a saved metric has, also when it is copied', () => {
    const { key, ...rest } = bodyOf(draftOf(metric));
    expect(key).toBe('p99');
    expect(rest).toMatchObject({ quantile: 0.99, value: 'duration', window: '1d', guardrail: true });
    expect(bodyOf(copyOf(metric))).toMatchObject({ key: 'p99-copy', name: 'p99 (copy)', quantile: 0.99 });
  });

  it.each<[Partial<MetricDraft>, keyof MetricDraft]>([
    [{ source: ' ' }, 'source'],
    [{ name: '' }, 'name'],
    [{ unit: '' }, 'unit'],
    [{ kind: 'mean' }, 'value'],
    [{ kind: 'quantile', value: 'duration', quantile: '100' }, 'quantile'],
    [{ kind: 'count', cap: '50' }, 'cap'],
    [{ kind: 'retention', comes_back_to: 'a week' }, 'comes_back_to'],
    [{ kind: 'funnel' }, 'steps'],
    [{ window: '7 days' }, 'window'],
  ])('%j cannot be saved because of its %s', (change, field) => {
    expect(Object.keys(problemsOf(draft(change)))).toEqual([field]);
  });

  it('are explained before they have a name', () => {
    expect(explainable(draft({ name: '' }))).toMatchObject({ key: 'draft', source: 'spans' });
    expect(explainable(draft({ kind: 'mean' }))).toBeUndefined();
  });
});

it('says in words which share of the rows counts', () => {
  const explanation = (joined: number): Explanation => ({
    ...{ sql: '', oql: '', plan: [], from: '', to: '', sample: [], not_numbers: 0, negative: 0, warnings: [] },
    units: { rows: 200, with_unit: 150, joined, share: joined / 200 },
  });
  expect(joinedText(explanation(100), { unit: 'user.id' }, null)).toBe(
    'The query returned 200 rows. 75% of them have a value for user.id, and 50% belong to a unit that saw a flag: these can count.',
  );
  expect(joinedText(explanation(0), { unit: 'trace_id' }, 'pay')).toBe(
    'The query returned 200 rows. 75% of them are part of a trace. None belongs to a unit that saw pay.',
  );
});
