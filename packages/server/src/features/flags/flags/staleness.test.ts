import { describe, expect, it } from 'vitest';
import type { TargetingConfig } from './rules.ts';
import { stalenessOf } from './staleness.ts';

const now = Date.UTC(2026, 5, 30);
const daysAgo = (days: number) => now - days * 86_400_000;
const flag = { temporary: true, archived: false, createdAt: daysAgo(100) };
const on: TargetingConfig = {
  enabled: true,
  off_variant: 'false',
  fallthrough: { variant: 'true' },
  targets: [],
  rules: [],
};
const split: TargetingConfig = {
  ...on,
  fallthrough: {
    rollout: {
      weights: [
        { variant: 'true', weight: 50_000 },
        { variant: 'false', weight: 50_000 },
      ],
    },
  },
};
const facts = (config: TargetingConfig, days = 60) => ({ config, changedAt: daysAgo(days) });
const used = (variants: string[], last = 0, first = 31) => ({
  firstAt: daysAgo(first),
  lastAt: daysAgo(last),
  variants,
});

describe('a temporary flag is stale', () => {
  it('when it served only one variant for 30 days, whatever its rules say', () => {
    expect(stalenessOf(flag, [facts(split)], [used(['true'])], now)).toEqual({
      reason: 'one_variant',
      since: daysAgo(60),
    });
    expect(stalenessOf(flag, [facts(split)], [used(['true']), used(['true'])], now)?.reason).toBe('one_variant');
  });
  it('when it is configured to serve one variant everywhere, even without 30 days of usage data', () => {
    expect(stalenessOf(flag, [facts(on)], [used(['true'], 0, 3)], now)?.reason).toBe('one_variant');
    expect(stalenessOf(flag, [facts(on)], undefined, now)?.reason).toBe('one_variant');
  });
  it('when it was not evaluated for 14 days', () => {
    expect(stalenessOf(flag, [facts(split)], [used([], 20)], now)).toEqual({
      reason: 'not_evaluated',
      since: daysAgo(20),
    });
    expect(stalenessOf(flag, [facts(split)], [], now)).toEqual({ reason: 'not_evaluated', since: daysAgo(60) });
  });
});

describe('a flag is not stale', () => {
  it('while it serves several variants, in one environment or in different ones', () => {
    expect(stalenessOf(flag, [facts(on)], [used(['true', 'false'])], now)).toBeNull();
    expect(stalenessOf(flag, [facts(on), facts(on)], [used(['true']), used(['false'])], now)).toBeNull();
    expect(stalenessOf(flag, [facts(on), facts({ ...on, enabled: false })], undefined, now)).toBeNull();
    expect(stalenessOf(flag, [facts(split)], undefined, now)).toBeNull();
  });
  it('when it changed meanwhile, or is new, permanent or archived', () => {
    expect(stalenessOf(flag, [facts(on, 29)], [used(['true'])], now)).toBeNull();
    expect(stalenessOf(flag, [facts(on, 3)], [], now)).toBeNull();
    expect(stalenessOf({ ...flag, createdAt: daysAgo(2) }, [facts(on, 2)], undefined, now)).toBeNull();
    expect(stalenessOf({ ...flag, temporary: false }, [facts(on)], [], now)).toBeNull();
    expect(stalenessOf({ ...flag, archived: true }, [facts(on)], [], now)).toBeNull();
  });
});
