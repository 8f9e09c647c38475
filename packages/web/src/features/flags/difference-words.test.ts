import { expect, it } from 'vitest';
import { describeDifferences } from './difference-words.ts';

it('describes changed weights in one line', () => {
  expect(
    describeDifferences([
      { path: 'fallthrough.rollout.weights.true.weight', kind: 'changed', before: 10_000, after: 50_000 },
      { path: 'fallthrough.rollout.weights.false.weight', kind: 'changed', before: 90_000, after: 50_000 },
    ]),
  ).toEqual([{ what: 'Everybody else', before: '10% true, 90% false', after: '50% true, 50% false' }]);
});

it('describes a variant that becomes a split in one line', () => {
  const weights = [
    { variant: 'a', weight: 12_500 },
    { variant: 'b', weight: 87_500 },
  ];
  expect(
    describeDifferences([
      { path: 'fallthrough.variant', kind: 'removed', before: 'a' },
      { path: 'fallthrough.rollout', kind: 'added', after: { weights, bucket_by: 'company' } },
    ]),
  ).toEqual([{ what: 'Everybody else', before: 'a', after: '12.5% a, 87.5% b, by company' }]);
});

it('names rules by their description, even if only one field differs', () => {
  const names = new Map([['r.1', 'Germans']]);
  expect(
    describeDifferences(
      [
        {
          path: 'rules.r.1.clauses',
          kind: 'changed',
          before: [{ attribute: 'country', op: 'in', values: ['DE'], negate: false }],
          after: [{ attribute: 'country', op: 'in', values: ['DE', 'AT'], negate: false }],
        },
        { path: 'rules.0123456789abcdef', kind: 'removed', before: { clauses: [], variant: 'a' } },
      ],
      names,
    ),
  ).toEqual([
    {
      what: 'Rule “Germans”: conditions',
      before: 'country is one of DE',
      after: 'country is one of DE, AT',
    },
    { what: 'Rule 01234567', before: 'if everybody, serve a', after: null },
  ]);
});

it('lists only added and removed values of long lists', () => {
  expect(
    describeDifferences([
      {
        path: 'included',
        kind: 'members',
        before: [],
        after: ['a', 'b', 'c', 'd'],
        removed_count: 0,
        added_count: 4000,
      },
      { path: 'targets.blue.values', kind: 'members', before: ['x'], after: ['ada'], removed_count: 1, added_count: 1 },
    ]),
  ).toEqual([
    { what: 'Included keys', before: null, after: 'with 4,000 keys: a, b, c, …' },
    { what: 'Targets for blue', before: 'without x', after: 'with ada' },
  ]);
});

it('describes states, variants, prerequisites and ramps', () => {
  expect(
    describeDifferences([
      { path: 'enabled', kind: 'changed', before: false, after: true },
      { path: 'variants.red.value', kind: 'changed', before: '#f00', after: '#e00' },
      { path: 'prerequisites.base', kind: 'added', after: { flag: 'base', variants: ['true'] } },
      {
        path: 'ramp',
        kind: 'changed',
        before: null,
        after: { variant: 'true', steps: [{ weight: 1000, hold: '1h' }] },
      },
    ]),
  ).toEqual([
    { what: 'State', before: 'off', after: 'on' },
    { what: 'Variant red', before: '#f00', after: '#e00' },
    { what: 'Prerequisite base', before: null, after: 'serves true' },
    { what: 'Ramp', before: 'none', after: 'true: 1% for 1h' },
  ]);
});

it('names the code default when no variant is served any more', () => {
  expect(
    describeDifferences([
      { path: 'off_variant', kind: 'changed', before: 'false', after: null },
      { path: 'fallthrough.variant', kind: 'changed', before: 'true', after: null },
    ]),
  ).toEqual([
    { what: 'While off', before: 'false', after: 'the code default' },
    { what: 'Everybody else', before: 'true', after: 'the code default' },
  ]);
});
