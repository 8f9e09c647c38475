import { describe, expect, it } from 'vitest';
import { createSample, isNotable, isTraced, sharesOf } from './rules.ts';

describe('which requests have a span', () => {
  const route = { id: 'flags.list', method: 'GET', prefix: '/api/v1', path: '/flags', auth: 'user' } as const;
  it.each([
    ['one of the API has', { ...route, media: 'application/json' }, true],
    ['an evaluation has none', { ...route, auth: 'sdk' as const, media: 'application/json' }, false],
    ['a probe has none', { ...route, id: 'platform.ready', media: 'application/json' }, false],
    ['a stream has none', { ...route, media: 'text/event-stream' }, false],
  ])('%s', (_name, one, expected) => {
    expect(isTraced(one)).toBe(expected);
  });

  it('prefers errors and slow ones', () => {
    expect(isNotable({ status: 503, durationMs: 1 })).toBe(true);
    expect(isNotable({ status: 200, durationMs: 1_000 })).toBe(true);
    expect(isNotable({ status: 404, durationMs: 999 })).toBe(false);
  });
});

describe('the limit of an interval', () => {
  it.each([
    [200, 15_000],
    [10, 1_000],
    [33, 7_000],
  ])('%d items per second over %d ms are divided without a rest', (itemsPerSecond, everyMs) => {
    const { points, spans, logs } = sharesOf(itemsPerSecond, everyMs);
    expect(points + spans + logs).toBe((itemsPerSecond * everyMs) / 1_000);
    expect(Math.min(points, spans, logs)).toBeGreaterThan(0);
  });
});

describe('a sample', () => {
  it('keeps notable items before others, and counts what it leaves out', () => {
    const sample = createSample<string>(3, () => 0.999);
    for (const item of ['a', 'b', 'c', 'd']) sample.add(() => item, 'ordinary');
    for (const item of ['error 1', 'error 2']) sample.add(() => item, 'notable');
    expect(sample.take()).toEqual({
      notable: ['error 1', 'error 2'],
      ordinary: ['a'],
      dropped: 0,
      sampled: 3,
      share: 0.25,
    });
    expect(sample.take()).toEqual({ notable: [], ordinary: [], dropped: 0, sampled: 0, share: 1 });
  });

  it('drops notable items beyond its limit', () => {
    const sample = createSample<number>(2, Math.random);
    for (let i = 0; i < 5; i++) sample.add(() => i, 'notable');
    expect(sample.take()).toMatchObject({ notable: [0, 1], dropped: 3, sampled: 0 });
  });

  it('makes only items that it keeps', () => {
    const made: number[] = [];
    const sample = createSample<number>(1, () => 0.999);
    for (let i = 0; i < 4; i++) sample.add(() => made.push(i), 'ordinary');
    expect(made).toEqual([0]);
  });
});
