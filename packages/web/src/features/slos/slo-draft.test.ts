import { describe, expect, it } from 'vitest';
import { countedOf, previewQueries } from './preview-rules.ts';
import { bodyOf, draftFrom, draftOf, emptyDraft, objectiveOf, problemsOf, sliderPlace } from './slo-draft.ts';

const events = { kind: 'events', source: 'spans', good: 'status != error' } as const;
const ratio = { kind: 'ratio', good: 'logs | count', total: 'spans | stats all=count()' } as const;
const slices = {
  kind: 'slices',
  query: 'spans | stats value=p95(duration)',
  op: '<',
  threshold: 5,
  slice: '5m',
} as const;
const who = { id: '', name: '' };
const rest = {
  id: 'x',
  name: 'a',
  description: 'b',
  project: 'default',
  environment: null,
  objective: 0.9995,
  burn_alerts: false,
  min_events: 7,
  version: 1,
  health: { derived_to: '', error: null },
  backfill: { state: 'done', progress: 1, error: null },
  created_by: who,
  updated_by: null,
  created_at: '',
  updated_at: '',
} as const;

describe('a draft', () => {
  it.each([
    [events, { kind: 'rolling', period: '28d' }],
    [ratio, { kind: 'calendar', unit: 'month', time_zone: 'Europe/Berlin' }],
    [slices, { kind: 'rolling', period: '7d' }],
    [
      { ...ratio, query_language: 'promql' },
      { kind: 'rolling', period: '7d' },
    ],
    [
      { ...slices, query_language: 'promql' },
      { kind: 'rolling', period: '7d' },
    ],
  ] as const)('of %j is saved as it was', (indicator, window) => {
    const { name, description, objective, burn_alerts, min_events } = rest;
    const body = bodyOf(draftOf({ ...rest, indicator, window }));
    expect(body).toEqual({ name, description, objective, burn_alerts, min_events, indicator, window });
  });

  it('takes over what another page shows', () => {
    expect(draftFrom({ source: 'spans', good: 'x' })).toMatchObject({
      kind: 'events',
      source: 'spans',
      condition: 'x',
    });
    expect(draftFrom({ total: 'a', good: 'b' })).toMatchObject({ kind: 'ratio', total: 'a', good: 'b' });
    expect(draftFrom({ query: 'q', name: 'n' })).toMatchObject({ kind: 'slices', query: 'q', name: 'n' });
    expect(draftFrom({ query: 'q', lang: 'promql' })).toMatchObject({ kind: 'slices', query: 'q', language: 'promql' });
  });

  it('in PromQL is previewed by the increases of half an hour, or by slice', () => {
    const increase = (range: string) => `sum(increase(a_total[${range}]))`;
    const preview = (total: string) =>
      previewQueries({ kind: 'ratio', query_language: 'promql', good: increase('60s'), total });
    expect(preview(increase('1m'))).toEqual({ first: increase('30m'), second: increase('30m'), step: '30m' });
    expect(preview(increase('5m')).first).toBeNull();
    expect(previewQueries({ ...slices, query_language: 'promql' })).toMatchObject({ first: slices.query, step: '5m' });
  });

  it('names what is missing', () => {
    expect(Object.keys(problemsOf(emptyDraft)).sort()).toEqual(['condition', 'name', 'source']);
    expect(problemsOf({ ...emptyDraft, kind: 'slices', query: 'x', name: 'n', min_events: '0' })).toEqual({
      threshold: 'Enter a number',
      min_events: 'Enter a whole number from 1',
    });
    expect(bodyOf(emptyDraft)).toBeUndefined();
  });

  it.each([
    ['99.9', 0.999],
    ['99.95', 0.9995],
    ['100', undefined],
    ['0', undefined],
    ['', undefined],
    ['x', undefined],
  ])('reads the objective %j', (objective, share) => {
    expect(objectiveOf({ objective })).toBe(share);
  });

  it('finds the nearest place on the slider', () => {
    expect([sliderPlace('90'), sliderPlace('99.92'), sliderPlace('100')]).toEqual([0, 6, 10]);
  });
});

describe('the preview', () => {
  const column = (name: string, type = 'int') => ({ name, type });
  const at = (minutes: number) => new Date(Date.UTC(2026, 10, 1, 0, minutes)).toISOString();
  const result = (names: string[], rows: unknown[][]) => ({
    columns: [column('bucket', 'timestamp'), ...names.map((name) => column(name))],
    rows,
  });
  it.each([
    [
      events,
      result(
        ['total', 'good'],
        [
          [at(30), 10, 9],
          [at(0), 5, 5],
        ],
      ),
      undefined,
      { good: 14, total: 15 },
    ],
    [
      ratio,
      result(
        ['all'],
        [
          [at(0), 10],
          [at(30), 4],
        ],
      ),
      result(['count'], [[at(0), 12]]),
      { good: 10, total: 14 },
    ],
    [
      slices,
      result(
        ['value'],
        [
          [at(0), 4],
          [at(5), 5],
          [at(10), null],
        ],
      ),
      undefined,
      { good: 1, total: 2 },
    ],
  ] as const)('counts %j', (indicator, first, second, sum) => {
    const counted = countedOf(indicator, first as never, second as never);
    expect(counted?.sum).toEqual(sum);
    expect(counted?.times).toEqual(counted?.times.toSorted((a, b) => a - b));
  });

  it('asks step by step', () => {
    expect(previewQueries(events).first).toBe(
      'spans\n| stats total=count(), good=count((status != error\n)) by bucket(30m)',
    );
    expect(previewQueries(ratio)).toEqual({
      first: 'spans | stats all=count() by bucket(30m)',
      second: 'logs | count by bucket(30m)',
    });
    expect(previewQueries({ ...slices, query: 'spans' }).first).toBeNull();
  });
});
