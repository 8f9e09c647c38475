import { type ClauseDraft as EngineClause, OPERATOR_NAMES, validateTargeting } from '@fanion/flag-engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeClause, describeServe, listValues } from './describe.ts';
import { diffDrafts } from './diff.ts';
import { type Draft, type EditableTargeting, sameDraft, toBody, toDraft } from './draft.ts';
import { foldsCase, OPERATORS, operatorInfo, parseScalar, readingsOf, scalarKind } from './operators.ts';
import {
  evenSplit,
  giveRest,
  parsePercent,
  percentText,
  remainder,
  setShare,
  TOTAL,
  withAllVariants,
} from './weights.ts';

describe('percentages', () => {
  it.each([
    ['12.5', 12_500],
    ['12,5 %', 12_500],
    ['0.001', 1],
    ['100', 100_000],
    ['100.001', null],
    ['12.3456', null],
    ['-1', null],
    ['', null],
    ['abc', null],
  ])('%s is %s', (text, weight) => expect(parsePercent(text)).toBe(weight));

  it('round-trips percentages', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: TOTAL }), (weight) => {
        expect(parsePercent(percentText(weight))).toBe(weight);
      }),
    );
  });

  it('splits evenly and exactly for any number of variants', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), (count) => {
        const split = evenSplit(Array.from({ length: count }, (_, i) => `v${i}`));
        expect(remainder(split)).toBe(0);
        expect(Math.max(...split.map((s) => s.weight)) - Math.min(...split.map((s) => s.weight))).toBeLessThanOrEqual(
          1,
        );
      }),
    );
    expect(evenSplit([])).toEqual([]);
  });

  it('gives the rest to the other of two variants; with more, the rest can be assigned', () => {
    expect(setShare(evenSplit(['a', 'b']), 'a', 10_000)).toEqual([
      { variant: 'a', weight: 10_000 },
      { variant: 'b', weight: 90_000 },
    ]);
    const three = setShare(evenSplit(['a', 'b', 'c']), 'a', 50_000);
    expect(remainder(three)).toBeLessThan(0);
    expect(remainder(giveRest(three, 'c'))).toBe(0);
    expect(
      giveRest(
        [
          { variant: 'a', weight: TOTAL },
          { variant: 'b', weight: 5 },
        ],
        'b',
      )[1]?.weight,
    ).toBe(0);
  });

  it('puts a new variant last, so that nobody changes their bucket', () => {
    expect(withAllVariants([{ variant: 'b', weight: TOTAL }], ['a', 'b']).map((w) => w.variant)).toEqual(['b', 'a']);
  });
});

const targeting: EditableTargeting = {
  enabled: true,
  off_variant: 'false',
  fallthrough: {
    rollout: {
      weights: [
        { variant: 'true', weight: 30_000 },
        { variant: 'false', weight: 70_000 },
      ],
    },
  },
  targets: [{ variant: 'true', values: ['ada'] }],
  rules: [
    {
      id: 'r1',
      description: 'Germans',
      clauses: [{ attribute: 'country', op: 'in', values: ['DE'], negate: false }],
      variant: 'true',
    },
    { id: 'r2', clauses: [{ op: 'in_segment', values: ['beta'], negate: true }], variant: 'false' },
  ],
};

describe('drafts', () => {
  it('write back what was read', () => {
    const body = toBody(toDraft(targeting), 7);
    expect(body).toMatchObject({
      enabled: true,
      off_variant: 'false',
      version: 7,
      fallthrough: targeting.fallthrough,
      targets: targeting.targets,
    });
    expect(body.rules).toEqual(targeting.rules);
    expect(body).not.toHaveProperty('comment');
  });

  it('are the same when they would write the same', () => {
    expect(sameDraft(toDraft(targeting), toDraft(targeting))).toBe(true);
    const empty: Draft = {
      ...toDraft(targeting),
      targets: [...toDraft(targeting).targets, { uid: 'x', variant: 'false', attribute: '', values: [] }],
    };
    expect(sameDraft(empty, toDraft(targeting))).toBe(true);
  });
});

describe('diffDrafts', () => {
  const base = toDraft(targeting);
  const edit = (change: Partial<Draft>): Draft => ({ ...base, ...change });
  const rule = (index: number) => base.rules[index] ?? base.rules[0];

  it('reports no differences between equal states', () => expect(diffDrafts(base, toDraft(targeting))).toEqual([]));

  it('describes changes of state, default and targets', () => {
    expect(
      diffDrafts(
        base,
        edit({
          enabled: false,
          fallthrough: { kind: 'variant', variant: 'true' },
          targets: [{ uid: 'x', variant: 'true', attribute: '', values: ['grace'] }],
        }),
      ),
    ).toEqual([
      { what: 'State', before: 'on', after: 'off' },
      { what: 'Targets for true', before: 'without ada', after: 'with grace' },
      { what: 'Everybody else', before: '30% true, 70% false', after: 'true' },
    ]);
  });

  it('describes added, removed, changed and moved rules', () => {
    const [first, second] = base.rules;
    if (!first || !second) throw new Error('two rules');
    const added = { ...first, uid: 'n', id: undefined, description: '' };
    expect(diffDrafts(base, edit({ rules: [first, second, added] }))).toEqual([
      { what: 'Rule 3', before: null, after: 'if country is one of DE, serve true' },
    ]);
    expect(diffDrafts(base, edit({ rules: [second] }))).toEqual([
      { what: 'Rule 1', before: 'Germans: if country is one of DE, serve true', after: null },
    ]);
    expect(diffDrafts(base, edit({ rules: [second, first] }))).toEqual([
      { what: 'Order of rules', before: '1, 2', after: '2, 1' },
    ]);
    expect(diffDrafts(base, edit({ rules: [{ ...first, clauses: [] }, second] }))[0]).toMatchObject({
      what: 'Rule 1',
      after: 'Germans: if everybody, serve true',
    });
    expect(rule(1)).toBeDefined();
  });
});

describe('words', () => {
  it('describe clauses and what is served', () => {
    expect(describeClause({ attribute: '', op: 'in_segment', values: ['beta'], negate: true })).toBe(
      'the unit is not in the segment beta',
    );
    expect(describeClause({ attribute: 'plan', op: 'exists', values: [], negate: false })).toBe('plan is set');
    expect(
      describeServe({
        kind: 'split',
        weights: [
          { variant: 'a', weight: TOTAL },
          { variant: 'b', weight: 0 },
        ],
        bucketBy: 'company',
        seed: '61',
      }),
    ).toBe('100% a by company, seed 61');
    expect(listValues(['1', 1, 'x', 'y', 'z', 'a', 'b', 'c'])).toBe('"1", 1, x, y, z, a and 2 more');
  });

  it('has words for every operator, plain and negated', () => {
    for (const operator of OPERATORS) expect(operator.label).not.toBe(operator.negated);
    // The menu has one name for an operator with two.
    const engine = OPERATOR_NAMES.filter((name) => name !== 'in_cidr');
    expect(new Set(OPERATORS.map((operator) => operator.op))).toEqual(new Set(engine));
    expect(operatorInfo('in_cidr').label).toBe(operatorInfo('cidr').label);
  });

  it('offer the readings that the engine takes', () => {
    const wrong = (clause: Pick<EngineClause, 'op' | 'as' | 'ignore_case'>) =>
      validateTargeting(
        { variants: [{ key: 'a', value: 'a' }] },
        {
          enabled: true,
          off_variant: 'a',
          fallthrough: { variant: 'a' },
          targets: [],
          rules: [{ clauses: [{ attribute: 'x', values: [], ...clause }], variant: 'a' }],
        },
        { segments: new Set() },
      ).map(({ path }) => path.split('.').at(-1));
    for (const { op } of OPERATORS.filter(({ values }) => values !== 'segment')) {
      for (const as of ['number', 'text', 'version', 'size'] as const)
        expect([op, as, wrong({ op, as }).includes('as')]).toEqual([op, as, !readingsOf(op).includes(as)]);
      expect([op, wrong({ op, ignore_case: true }).includes('ignore_case')]).toEqual([op, !foldsCase(op)]);
    }
  });

  it('types values by the operator, else by the existing values', () => {
    expect(scalarKind('lt', [])).toBe('number');
    expect(scalarKind('in', [5])).toBe('number');
    expect(scalarKind('in', [])).toBe('text');
    expect(parseScalar('5', 'text')).toBe('5');
    expect(parseScalar('5', 'number')).toBe(5);
    expect(parseScalar('x', 'number')).toBeNull();
    expect(parseScalar('true', 'boolean')).toBe(true);
  });
});
