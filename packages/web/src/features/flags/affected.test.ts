import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { affectedBy, moves } from './affected.ts';
import type { Draft, Serve } from './draft.ts';

const split = (...shares: [string, number][]): Serve => ({
  kind: 'split',
  weights: shares.map(([variant, weight]) => ({ variant, weight })),
  bucketBy: '',
  seed: '',
});
const draft = (change: Partial<Draft> = {}): Draft => ({
  enabled: true,
  offVariant: 'false',
  fallthrough: { kind: 'variant', variant: 'false' },
  targets: [],
  rules: [],
  ...change,
});

describe('who is affected', () => {
  it('is empty when nothing that is served differs', () => {
    expect(affectedBy(draft(), draft())).toEqual([]);
    expect(
      affectedBy(draft({ enabled: false }), draft({ enabled: false, fallthrough: split(['a', 100_000]) })),
    ).toEqual([]);
    expect(affectedBy(draft(), draft({ offVariant: 'true' }))).toEqual([]);
  });

  it('names everybody when the switch changes', () => {
    expect(affectedBy(draft(), draft({ enabled: false }))).toEqual([
      { who: 'Everybody', what: 'gets false, regardless of targets and rules', wide: true },
    ]);
  });

  it('names changed targets', () => {
    const target = (variant: string, ...values: string[]) => ({ uid: variant, variant, attribute: '', values });
    expect(
      affectedBy(
        draft({ targets: [target('a', 'ada', 'bob')] }),
        draft({ targets: [target('a', 'bob'), target('b', 'ada', 'eve')] }),
      ),
    ).toEqual([
      { who: '1 target (ada)', what: 'gets b instead of a', wide: false },
      { who: '1 target (eve)', what: 'gets b', wide: false },
    ]);
  });

  it('shows the share of everybody else that moves', () => {
    const to = (fallthrough: Serve) => affectedBy(draft(), draft({ fallthrough }));
    expect(to(split(['true', 10_000], ['false', 90_000]))).toEqual([
      { who: 'Everybody else', what: 'changes: 10% from false to true', wide: false },
    ]);
    expect(to({ kind: 'variant', variant: 'true' })).toEqual([
      { who: 'Everybody else', what: 'changes: 100% from false to true', wide: true },
    ]);
  });

  it('describes whom a changed rule matches', () => {
    const rule = (value: string, variant: string) => ({
      uid: 'r',
      id: 'r',
      description: '',
      clauses: [{ uid: 'c', attribute: 'country', op: 'in', values: [value], negate: false }],
      serve: { kind: 'variant', variant } as const,
    });
    expect(affectedBy(draft({ rules: [rule('DE', 'a')] }), draft({ rules: [rule('DE', 'b')] }))).toEqual([
      { who: 'Everybody who matches country is one of DE', what: 'changes: 100% from a to b', wide: false },
    ]);
    expect(affectedBy(draft({ rules: [rule('DE', 'a')] }), draft())).toEqual([
      { who: 'Everybody who matches country is one of DE', what: 'no longer gets a by this rule', wide: false },
    ]);
  });
});

it('ignores a recreated rule for the same people unless it splits them', () => {
  const rule = (id: string, serve: Serve) => ({ uid: id, id, description: '', clauses: [], serve });
  const on: Serve = { kind: 'variant', variant: 'true' };
  const half = split(['true', 50_000], ['false', 50_000]);
  const replaced = (serve: Serve) =>
    affectedBy(draft({ rules: [rule('a', serve)] }), draft({ rules: [rule('b', serve)] })).map(({ what }) => what);
  expect(replaced(on)).toEqual([]);
  expect(replaced(half)).toEqual(['is split again: 50% true, 50% false']);
});

it('moves exactly the added share when a share grows', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 0, max: 100_000 }), (a, b) => {
      const serve = (weight: number) => split(['on', weight], ['off', 100_000 - weight]);
      expect(moves(serve(a), serve(b)).total).toBe(Math.abs(a - b));
    }),
  );
});

it('splits everybody again when the seed changes', () => {
  const before = split(['a', 50_000], ['b', 50_000]);
  expect(moves(before, { ...before, seed: 'x' } as Serve).total).toBe(100_000);
});
