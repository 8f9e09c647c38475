import { compileRuleset, type Flag } from '@fanion/flag-engine';
import { describe, expect, it } from 'vitest';
import { latestReportMs, mostOfCounter, reported } from './event-rules.ts';

const now = Date.UTC(2026, 0, 2);
const flag = (key: string, change: Partial<Flag> = {}): Flag => ({
  ...{ key, kind: 'boolean', version: 3, enabled: true, off_variant: 'off', salt: 's' },
  variants: [
    { key: 'on', value: true },
    { key: 'off', value: false },
  ],
  ...{ fallthrough: { variant: 'on' }, targets: [], rules: [], prerequisites: [] },
  ...change,
});
const ruleset = compileRuleset({
  ...{ version: 1, environment: 'production', project: 'shop', segments: {} },
  flags: { plain: flag('plain'), test: flag('test') },
});
const summary = (features: object) => ({ kind: 'summary', startDate: now, endDate: now, features });
const counter = (change: object = {}) => ({ variation: 0, version: 3, value: true, count: 5, ...change });
const feature = (change: object = {}) => ({
  ...{ kind: 'feature', creationDate: now - 1_000, key: 'test', variation: 0, version: 3, value: true },
  reason: { kind: 'FALLTHROUGH', inExperiment: true },
  context: { kind: 'user', key: 'ada' },
  ...change,
});

describe('events of LaunchDarkly', () => {
  it('counts an evaluation once that is in the summary and on its own', () => {
    const { exposures, counts } = reported(
      [feature(), feature({ context: { kind: 'user', key: 'eve' } }), summary({ test: { counters: [counter()] } })],
      ruleset,
      now,
    );
    expect(exposures.map(({ context, at }) => [context.targetingKey, at])).toEqual([
      ['ada', now - 1_000],
      ['eve', now - 1_000],
    ]);
    expect(counts).toEqual([
      { answer: { key: 'test', variant: 'on', flag_version: 3, reason: 'UNKNOWN', tracked: false }, times: 3 },
    ]);
  });

  it('counts custom events as ignored', () => {
    const custom = { kind: 'custom', key: 'bought', context: { kind: 'user', key: 'ada' }, metricValue: 9 };
    expect(reported(custom, ruleset, now)).toEqual({ exposures: [], counts: [], ignored: 1 });
    expect(reported([custom, feature(), custom], ruleset, now).ignored).toBe(2);
  });

  it('finds the variant by the value, since an older version had other places', () => {
    const told = (change: object) => reported(summary({ plain: { counters: [counter(change)] } }), ruleset, now).counts;
    expect(told({ variation: 0, value: false })[0]?.answer.variant).toBe('off');
    expect(told({ variation: 1, value: 'of another version' })[0]?.answer.variant).toBe('off');
    expect(told({ variation: 7, value: 'unknown' })).toEqual([]);
    expect(told({ variation: undefined })[0]?.answer.variant).toBeNull();
  });

  it('leaves out what is malformed, unknown or no experiment', () => {
    const counters = [counter({ count: -1 }), counter({ count: 'many' }), counter({ version: 'new' }), null, 7];
    const bodies = [
      ...[undefined, null, 7, 'text', [null, [], 'x'], {}, { kind: 'summary' }, summary({ test: null })],
      ...[summary({ test: { counters } }), summary({ other: { counters: [counter()] } })],
      ...[feature({ reason: undefined }), feature({ context: { kind: 'user' } }), feature({ key: 'other' })],
      ...[feature({ context: 'ada' }), feature({ variation: 9, value: 9 })],
    ];
    for (const body of bodies)
      expect(reported(body, ruleset, now), JSON.stringify(body)).toEqual({ exposures: [], counts: [], ignored: 0 });
  });

  it('dates an exposure with its arrival if its own time is too old or to come', () => {
    const at = (creationDate: unknown) => reported(feature({ creationDate }), ruleset, now).exposures[0]?.at;
    for (const wrong of [now + 1, now - latestReportMs, 'now', undefined]) expect(at(wrong)).toBe(now);
    expect(at(now - latestReportMs + 1)).toBe(now - latestReportMs + 1);
  });

  it('limits what one counter can stand for', () => {
    const told = reported(summary({ plain: { counters: [counter({ count: 2 ** 50 })] } }), ruleset, now);
    expect(told.counts[0]?.times).toBe(mostOfCounter);
  });

  it('reads the unit from each form of a context', () => {
    const forms = [
      { context: { kind: 'multi', user: { key: 'ada' }, organization: { key: 'acme' } } },
      { context: undefined, contextKeys: { user: 'ada' } },
      { context: undefined, user: { key: 'ada', custom: { plan: 'pro' } } },
      { context: undefined, userKey: 'ada' },
    ];
    for (const form of forms)
      expect(reported(feature(form), ruleset, now).exposures[0]?.context.targetingKey).toBe('ada');
  });
});
