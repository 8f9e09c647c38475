import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyDraft } from './slo-draft.ts';
import {
  emptySloSymptom,
  movedThreshold,
  rounded,
  sloSymptomOf,
  suggestObjective,
  withSloSymptom,
} from './slo-symptom.ts';

const latency = { ...emptySloSymptom, service: 'checkout', kind: 'latency' } as const;

describe('withSloSymptom', () => {
  it('counts requests below the threshold', () => {
    expect(withSloSymptom(emptyDraft, { ...latency, threshold: 812.5e6 })).toEqual({
      kind: 'events',
      source: 'spans | where service.name == "checkout" and (kind == server or kind == consumer)',
      condition: 'duration < 812.5ms',
      name: 'checkout is fast',
    });
  });

  it('keeps a name that somebody wrote, and changes its own', () => {
    const own = { ...emptyDraft, ...withSloSymptom(emptyDraft, latency) };
    expect(withSloSymptom(own, { ...latency, kind: 'availability' }).name).toBe('checkout answers');
    expect(withSloSymptom({ ...own, name: 'Pay' }, latency).name).toBeUndefined();
  });

  it('is read again', () => {
    const symptom = fc.record({
      service: fc.string({ unit: 'binary' }),
      operation: fc.string(),
      kind: fc.constant('latency' as const),
      threshold: fc.integer({ min: 1, max: 1e12 }),
    });
    fc.assert(
      fc.property(symptom, (written) => {
        expect(sloSymptomOf({ ...emptyDraft, ...withSloSymptom(emptyDraft, written) })).toEqual(written);
      }),
    );
  });
});

describe('sloSymptomOf', () => {
  const { source = '' } = withSloSymptom(emptyDraft, latency);
  it.each([
    ['status != error', { ...latency, kind: 'availability' }],
    ['duration < 300ms', latency],
    ['duration < 300ms and status != error', null],
    ['duration <= 300ms', null],
    ['duration < 300', null],
    ['status != error | limit 5', null],
    ['', null],
  ])('of the condition %j', (condition, expected) => {
    expect(sloSymptomOf({ kind: 'events', source, condition })).toEqual(expected);
  });

  it('is null for another query or kind', () => {
    expect(sloSymptomOf({ kind: 'events', source: 'spans', condition: 'status != error' })).toBeNull();
    expect(sloSymptomOf({ kind: 'slices', source, condition: 'status != error' })).toBeNull();
  });
});

it.each([
  [{ good: 9_995, total: 10_000 }, 99.9],
  [{ good: 9_990, total: 10_000 }, 99.9],
  [{ good: 9_989, total: 10_000 }, 99.5],
  [{ good: 10_000, total: 10_000 }, 99.9],
  [{ good: 1_000_000, total: 1_000_000 }, 99.999],
  [{ good: 100, total: 100 }, 90],
  [{ good: 99, total: 99 }, undefined],
  [{ good: 890, total: 1_000 }, undefined],
])('suggests an objective for %j', (events, objective) => {
  expect(suggestObjective(events)).toBe(objective);
});

it.each([
  [300e6, 1, 310e6],
  [300e6, -1, 290e6],
  [100e6, -1, 99e6],
  [99e6, 1, 100e6],
  [100e6, 10, 200e6],
  [1000, -1, 1000],
])('moves the threshold %d by %d steps', (from, steps, to) => {
  expect(movedThreshold(from, steps)).toBe(to);
  expect(rounded(to)).toBe(to);
});
