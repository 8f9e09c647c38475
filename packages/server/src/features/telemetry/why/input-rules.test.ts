import { describe, expect, it } from 'vitest';
import { detailOf } from './change-rules.ts';
import { type ItemRow, inputOf, type Sample } from './input-rules.ts';
import { namedFields, nounOf, shareOf } from './selection-rules.ts';

const items = Array.from({ length: 6 }, (_, n): ItemRow => [n * 10, n < 2 ? 1 : 0, 1_000 + n, n < 2 ? 2 : 40, 900 + n]);
const sample = (change: Partial<Sample>): Sample => ({
  items,
  fields: [],
  flags: [],
  changes: [],
  novelties: [],
  defining: new Set(),
  ...change,
});

describe('a sample as columns', () => {
  it('has the sides, times and weights of its items', () => {
    const input = inputOf(sample({})).items;
    expect([...input.selected]).toEqual([1, 1, 0, 0, 0, 0]);
    expect([...input.weights]).toEqual([1, 1, 10, 10, 10, 10]);
    expect(input.timeMs[5]).toBe(1_005);
  });

  it('has one column for a field with one value per trace, and one for each value of other fields', () => {
    const { attributes } = inputOf(
      sample({
        fields: [
          {
            name: 'region',
            common: [
              ['eu', [0, 10, 20]],
              ['us', [30]],
            ],
            rare: [],
          },
          {
            name: 'name',
            common: [
              ['load', [0, 10, 20]],
              ['pay', [0, 10]],
            ],
            rare: [],
          },
          { name: 'constant', common: [['x', [0, 10, 20, 30, 40, 50]]], rare: [] },
        ],
      }),
    );
    expect(attributes.map(({ name, values, codes }) => [name, values, [...codes]])).toEqual([
      ['region', ['eu', 'us'], [0, 0, 0, 1, -1, -1]],
      ['name', ['load'], [0, 0, 0, -1, -1, -1]],
      ['name', ['pay'], [0, 0, -1, -1, -1, -1]],
    ]);
  });

  it('leaves out resource attributes that repeat a field', () => {
    const common: [string, number[]][] = [
      ['cart', [0, 10]],
      ['search', [20, 30]],
    ];
    const fields = ['service.name', 'resource.service.name', 'resource.host.name'].map((name) => ({
      name,
      common,
      rare: [],
    }));
    expect(inputOf(sample({ fields })).attributes.map(({ name }) => name)).toEqual([
      'service.name',
      'resource.host.name',
    ]);
  });

  it('counts each item with a rare value as a value of its own', () => {
    const { attributes } = inputOf(sample({ fields: [{ name: 'id', common: [], rare: [0, 20] }] }));
    expect(attributes.map(({ values, codes }) => [values, [...codes]])).toEqual([
      [
        ['', ''],
        [0, -1, 1, -1, -1, -1],
      ],
    ]);
  });

  it('finds the items of variants by the hashes of their traces, and ignores others', () => {
    const { flags } = inputOf(
      sample({
        flags: [
          {
            flag: 'cdn',
            variants: [
              ['true', [900, 7]],
              ['false', [905]],
            ],
          },
        ],
      }),
    );
    expect(flags.map(({ name, codes }) => [name, [...codes]])).toEqual([['cdn', [0, -1, -1, -1, -1, 1]]]);
  });

  it('says which traces have a new error or log pattern', () => {
    const novelty = { kind: 'error' as const, name: 'Timeout', ids: ['ab'] };
    const { novelties } = inputOf(sample({ novelties: [{ ...novelty, traces: [900, 905, 12_345] }] }));
    expect(novelties).toEqual([{ ...novelty, present: Uint8Array.from([1, 0, 0, 0, 0, 1]) }]);
  });

  it('is limited, however many values its traces have', () => {
    const fields = Array.from({ length: 100 }, (_, n) => ({
      name: `f${n}`,
      common: Array.from({ length: 30 }, (_, v): [string, number[]] => [`v${v}`, [0, 10, 20, 30, 40]]),
      rare: [],
    }));
    expect(inputOf(sample({ fields })).attributes).toHaveLength(600);
  });
});

describe('what a change did to a flag', () => {
  const half = [
    { variant: 'false', weight: 50_000 },
    { variant: 'true', weight: 50_000 },
  ];
  it.each([
    ['targeting', [{ path: 'enabled', kind: 'changed', before: true, after: false }], 'off'],
    ['targeting', [{ path: 'enabled', kind: 'changed', before: false, after: true }], 'on'],
    ['targeting', [{ path: 'fallthrough.variant', kind: 'changed', before: 'a', after: 'b' }], '100 % b'],
    ['ramp', [{ path: 'fallthrough.rollout', kind: 'added', after: { weights: half } }], '50 % false, 50 % true'],
    [
      'ramp',
      [{ path: 'fallthrough.rollout.weights.true.weight', kind: 'changed', before: 1, after: 10_000 }],
      '10 % true',
    ],
    ['targeting', [{ path: 'rules.r1', kind: 'added', after: {} }], 'new rules'],
    ['guarded_release', [], 'guarded release'],
  ] as const)('of %s with %j is %s', (kind, diff, detail) => {
    expect(detailOf(kind, diff)).toBe(detail);
  });
});

describe('a selection', () => {
  it('is called by what its condition is about', () => {
    expect(nounOf(new Set(['status']))).toBe('errors');
    expect(nounOf(new Set(['duration', 'time']))).toBe('slow traces');
    expect(nounOf(new Set(['region']))).toBe('selected traces');
  });

  it('knows fields in every spelling', () => {
    expect([...namedFields(['span.kind', 'resource.host.name'])]).toEqual([
      'kind',
      'resource.kind',
      'host.name',
      'resource.host.name',
    ]);
  });

  it('is sampled if it has too many rows', () => {
    expect(shareOf(100, 100)).toBeUndefined();
    expect(shareOf(400, 100)).toBe(0.25);
  });
});
