import { compileRuleset, type EvaluationContext, type Flag, resolve } from '@fanion/flag-engine';
import { decodeEvaluations, encodeEvaluations } from '@fanion/telemetry';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Recent } from './recent.ts';
import { Tally, traceOf } from './rules.ts';

const half = [
  { variant: 'on', weight: 50_000 },
  { variant: 'off', weight: 50_000 },
];
const flag = (key: string, change: Partial<Flag> = {}): Flag => ({
  key,
  kind: 'boolean',
  version: 3,
  enabled: true,
  variants: [
    { key: 'on', value: true },
    { key: 'off', value: false },
  ],
  off_variant: 'off',
  fallthrough: { variant: 'on' },
  targets: [],
  rules: [],
  salt: 'salt',
  prerequisites: [],
  ...change,
});
const ruleset = compileRuleset({
  version: 1,
  environment: 'production',
  project: 'shop',
  flags: {
    plain: flag('plain'),
    split: flag('split', { fallthrough: { rollout: { weights: half } } }),
    ramped: flag('ramped', { fallthrough: { rollout: { weights: half, tracked: true } } }),
    'by-company': flag('by-company', {
      rules: [
        {
          id: 'r1',
          salt: 's1',
          clauses: [],
          rollout: { weights: half, tracked: true, bucket_by: 'company' },
        },
      ],
    }),
  },
  segments: {},
});
const place = {
  projectId: 'p',
  environmentId: 'e',
  workspaceNumber: 7,
  projectNumber: 2,
  environmentKey: 'production',
};
const recorded = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const unrecorded = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';
const limits = { seen: 100, answers: 100, units: 100, unitMs: 3_600_000 };

function tallied(limit = limits) {
  const tally = new Tally(limit);
  const see = (key: string, context: EvaluationContext, traceparent?: string, now = 1_000) =>
    tally.saw(place, ruleset, resolve(ruleset, key, context), context, traceparent, now);
  return { tally, see };
}

describe('the tally of evaluations', () => {
  it('counts untracked answers without their units', () => {
    const { tally, see } = tallied();
    for (let i = 0; i < 5; i++) see('plain', { targetingKey: `u${i}` });
    see('plain', { targetingKey: 'u' }, unrecorded);
    const [taken] = tally.take();
    expect(taken?.place).toBe(place);
    expect(taken?.seen).toEqual([]);
    const answer = {
      at: 1_000,
      flag: 'plain',
      variant: 'on',
      reason: 'default',
      version: '3',
      tracked: false,
      error: '',
    };
    expect(taken?.counted).toEqual([{ ...answer, count: 6 }]);
    expect(tally.isEmpty).toBe(true);
  });

  it('stores a tracked unit once an hour, and counts its other evaluations', () => {
    const { tally, see } = tallied();
    for (let i = 0; i < 3; i++) see('ramped', { targetingKey: 'ada' });
    see('ramped', { targetingKey: 'ada' }, undefined, 3_600_000);
    const [taken] = tally.take();
    expect(taken?.seen.map(({ at, unit, kind, tracked, reason }) => [at, unit, kind, tracked, reason])).toEqual([
      [1_000, 'ada', '', true, 'split'],
      [3_600_000, 'ada', '', true, 'split'],
    ]);
    expect(taken?.counted.map(({ count, tracked }) => [count, tracked])).toEqual([[2, true]]);
  });

  it('stores a unit of an ordinary percentage rollout once an hour too', () => {
    const { tally, see } = tallied();
    for (let i = 0; i < 3; i++) see('split', { targetingKey: 'ada' });
    see('split', { targetingKey: 'bob' });
    const [taken] = tally.take();
    expect(taken?.seen.map(({ unit, tracked, reason }) => [unit, tracked, reason])).toEqual([
      ['ada', false, 'default'],
      ['bob', false, 'default'],
    ]);
    expect(taken?.counted.map(({ count }) => count)).toEqual([2]);
  });

  it('stores each evaluation of a recorded trace, with its ids', () => {
    const { tally, see } = tallied();
    see('plain', { targetingKey: 'ada' }, recorded);
    see('plain', { targetingKey: 'ada' }, recorded);
    const [taken] = tally.take();
    expect(taken?.counted).toEqual([]);
    expect(taken?.seen).toHaveLength(2);
    expect(taken?.seen[0]).toMatchObject({
      unit: 'ada',
      tracked: false,
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
    });
  });

  it('names the unit of the split if it is another attribute', () => {
    const { tally, see } = tallied();
    see('by-company', { targetingKey: 'ada', company: 42 });
    // Without the attribute, the first bucket is served, untracked.
    see('by-company', { targetingKey: 'ada' });
    const [taken] = tally.take();
    expect(taken?.seen).toMatchObject([{ unit: '42', kind: 'company' }]);
    expect(taken?.counted).toMatchObject([{ count: 1, tracked: false }]);
  });

  it('ignores an unknown key, and counts a failed evaluation as an answer without a variant', () => {
    const { tally, see } = tallied();
    see('nothing', { targetingKey: 'ada' });
    expect(tally.isEmpty).toBe(true);
    see('ramped', {});
    expect(tally.take()[0]?.counted).toMatchObject([{ variant: '', reason: 'error', error: 'TARGETING_KEY_MISSING' }]);
  });

  it('never exceeds its limits, and reports what it dropped', () => {
    const { tally, see } = tallied({ ...limits, seen: 2, answers: 1 });
    for (let i = 0; i < 5; i++) see('ramped', { targetingKey: `u${i}` }, recorded);
    see('plain', {});
    expect(tally.take()[0]?.seen).toHaveLength(2);
    expect(tally.stats().counted).toBe(6);
    expect(tally.stats().unseen).toBe(3);
    expect(tally.stats().lost).toBeGreaterThan(0);
  });

  it('counts each evaluation exactly once', () => {
    const any = fc.record({
      key: fc.constantFrom('plain', 'ramped', 'by-company', 'nothing'),
      unit: fc.option(fc.string({ maxLength: 3 }), { nil: undefined }),
      trace: fc.constantFrom(undefined, recorded, unrecorded, 'x', '00-zz'),
      at: fc.integer({ min: 0, max: 10_000_000 }),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 60 }), (all) => {
        const { tally, see } = tallied({ ...limits, seen: 10 });
        for (const { key, unit, trace, at } of all) see(key, { targetingKey: unit, company: unit }, trace, at);
        const taken = tally.take();
        const told = taken.flatMap(({ seen, counted }) => [...seen.map(() => 1), ...counted.map(({ count }) => count)]);
        const { lost, counted } = tally.stats();
        expect(told.reduce((sum, n) => sum + n, 0) + lost).toBe(all.filter(({ key }) => key !== 'nothing').length);
        expect(counted).toBe(all.filter(({ key }) => key !== 'nothing').length);
        for (const { counted: counts, seen } of taken)
          expect(decodeEvaluations(encodeEvaluations({ counted: counts, seen }))).toEqual({ counted: counts, seen });
      }),
    );
  });
});

describe('traceparent', () => {
  it('is read in W3C format, and ignored if malformed', () => {
    expect(traceOf(recorded)?.recorded).toBe(true);
    expect(traceOf(unrecorded)?.recorded).toBe(false);
    expect(traceOf('01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-future')?.recorded).toBe(true);
    const zeros = '0'.repeat(32);
    for (const bad of ['', 'x', `00-${zeros}-b7ad6b7169203331-01`, recorded.toUpperCase(), `ff${recorded.slice(2)}`])
      expect(traceOf(bad)).toBeUndefined();
    expect(traceOf([recorded, recorded])).toBeUndefined();
  });
});

describe('recent units', () => {
  it('are distinguished by time and limited in number', () => {
    const recent = new Recent(2, 1_000);
    expect(recent.isNew('a', 0)).toBe(true);
    expect(recent.isNew('a', 999)).toBe(false);
    expect(recent.isNew('a', 1_000)).toBe(true);
    for (const name of ['b', 'c', 'd', 'e', 'f', 'g']) recent.isNew(name, 1_100);
    expect(recent.isNew('a', 1_200)).toBe(true);
    expect(recent.isNew('g', 1_200)).toBe(false);
    expect(recent.isNew('x'.repeat(5_000), 1_200)).toBe(true);
    expect(recent.isNew('x'.repeat(5_000), 1_200)).toBe(false);
  });
});
