import { compileRuleset, type Flag } from '@fanion/flag-engine';
import { describe, expect, it } from 'vitest';
import { bucketName, RecentBuckets, reportedCounts } from './metrics-rules.ts';

const variant = (key: string, value: Flag['variants'][number]['value'] = key) => ({ key, value });
const flag = (key: string, kind: Flag['kind'], variants: Flag['variants']): Flag => ({
  ...{ key, kind, variants, version: 3, enabled: true, off_variant: null, salt: 'salt' },
  ...{ fallthrough: { variant: null }, targets: [], rules: [], prerequisites: [] },
});
const compiled = compileRuleset({
  ...{ version: 1, environment: 'production', project: 'shop', segments: {} },
  flags: {
    checkout: flag('checkout', 'boolean', [variant('on', true), variant('off', false)]),
    colour: flag('colour', 'string', [variant('blue'), variant('grey'), variant('disabled')]),
    size: flag('size', 'number', [variant('s', 1), variant('l', 2)]),
  },
});
const body = (toggles: object, more: object = {}) => ({
  ...{ appName: 'shop', instanceId: 'shop-1', connectionId: 'c' },
  bucket: { start: '2026-11-29T10:00:00Z', stop: '2026-11-29T10:01:00Z', toggles },
  ...more,
});
const counted = (toggles: object) =>
  reportedCounts(body(toggles), compiled).map(({ answer, times }) => `${answer.key} ${answer.variant} ${times}`);

describe('metrics of Unleash SDKs', () => {
  it('counts a boolean flag by yes and no', () => {
    expect(counted({ checkout: { yes: 3, no: 2, variants: { disabled: 5 } } })).toEqual([
      'checkout on 3',
      'checkout off 2',
    ]);
    expect(reportedCounts(body({ checkout: { yes: 1 } }), compiled)[0]?.answer).toMatchObject({
      flag_version: 3,
      reason: 'UNKNOWN',
    });
  });

  it('counts other flags by variant, and each evaluation once', () => {
    expect(counted({ colour: { yes: 7, no: 2, variants: { blue: 4, grey: 1, disabled: 2 } } })).toEqual([
      'colour blue 4',
      'colour grey 1',
      'colour null 2',
      'colour disabled 2',
    ]);
    expect(counted({ size: { yes: 2, no: 1, variants: { s: 2, disabled: 1 } } })).toEqual(['size s 2', 'size null 1']);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a list', []],
    ['no bucket', {}],
    ['toggles that are a list', body([1])],
    ['unknown flags', body({ unknown: { yes: 1 }, constructor: { yes: 1 }, __proto__: { yes: 1 } })],
    ['counts that are not whole numbers', body({ checkout: { yes: -1, no: 0.5 }, colour: { yes: '7' }, size: null })],
  ])('counts nothing of %s', (_, sent) => expect(reportedCounts(sent, compiled)).toEqual([]));
});

describe('repeated buckets', () => {
  const once = reportedCounts(body({ checkout: { yes: 3, no: 2 } }), compiled);
  const more = reportedCounts(body({ checkout: { yes: 4, no: 2 }, size: { yes: 1 } }), compiled);
  const times = (counts: typeof once) => counts.map((count) => count.times);

  it('adds only what is new in a bucket that is sent again', () => {
    const recent = new RecentBuckets(100);
    expect(times(recent.news('a', once))).toEqual([3, 2]);
    expect(times(recent.news('a', once))).toEqual([]);
    expect(times(recent.news('a', more))).toEqual([1, 1]);
    expect(times(recent.news('b', once))).toEqual([3, 2]);
  });

  it('forgets the oldest bucket first', () => {
    const recent = new RecentBuckets(4);
    for (const name of ['a', 'b', 'c']) recent.news(name, once);
    expect(times(recent.news('c', once))).toEqual([]);
    expect(times(recent.news('a', once))).toEqual([3, 2]);
  });

  it('recognizes a bucket by its sender and start', () => {
    const later = body({}, { bucket: { start: '2026-11-29T10:00:00Z', stop: '2026-11-29T10:02:00Z' } });
    expect(bucketName(later, undefined)).toBe(bucketName(body({}), undefined));
    expect(bucketName(body({}, { connectionId: 'd' }), undefined)).not.toBe(bucketName(body({}), undefined));
    const browser = { instanceId: 'browser', connectionId: undefined };
    expect(bucketName({ ...later, ...browser }, undefined)).not.toBe(bucketName(body({}, browser), undefined));
    expect(bucketName({ ...later, ...browser }, 'c')).toBe(bucketName(body({}, browser), 'c'));
  });
});
