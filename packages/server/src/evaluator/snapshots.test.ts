import { compileRuleset, evaluate, type Flag, type Segment } from '@fanion/flag-engine';
import { describe, expect, it } from 'vitest';
import type { RulesetPart } from './messages.ts';
import { Snapshots } from './snapshots.ts';

const flag = (version: number, variant: string): Flag => ({
  key: 'a',
  kind: 'boolean',
  version,
  enabled: true,
  off_variant: 'off',
  salt: 's',
  variants: [
    { key: 'on', value: true },
    { key: 'off', value: false },
  ],
  fallthrough: { variant },
  targets: [],
  rules: [],
  prerequisites: [],
});
const segment: Segment = { key: 's', version: 1, included: [], excluded: [], rules: [] };

const whole = (version: number, variant = 'on'): RulesetPart => ({
  part: 'begin',
  from: undefined,
  version,
  environment: 'production',
  project: 'shop',
  flags: { a: flag(version, variant) },
  segments: { s: segment },
});
const change = (from: number, version: number, variant: string): RulesetPart => ({
  ...(whole(version, variant) as Extract<RulesetPart, { part: 'begin' }>),
  from,
  segments: {},
});
const end: RulesetPart = { part: 'end' };

function receiving(parts: readonly RulesetPart[] = []) {
  const snapshots = new Snapshots({
    ask: async ({ about }) => {
      if (about !== 'ruleset') return undefined;
      for (const part of parts) snapshots.receive('e', part);
      return parts.length > 0;
    },
    clock: { now: () => 0 },
  });
  const value = async () => {
    const held = await snapshots.get('e');
    return held === undefined ? undefined : [held.compiled.version, evaluate(held.compiled, 'a', {}).value];
  };
  return { snapshots, value };
}

describe('rulesets in the process that evaluates', () => {
  it('are asked for once, and then there without waiting', async () => {
    const { snapshots, value } = receiving([whole(3), end]);
    expect(await value()).toEqual([3, true]);
    expect(snapshots.get('e')).not.toBeInstanceOf(Promise);
  });

  it('change in order, and never go back', async () => {
    const { snapshots, value } = receiving([whole(3), end]);
    await value();
    const send = (...parts: RulesetPart[]) => parts.forEach((part) => void snapshots.receive('e', part));
    send(change(3, 4, 'off'), end);
    expect(await value()).toEqual([4, false]);
    send(change(3, 4, 'on'), end, whole(2), end);
    expect(await value()).toEqual([4, false]);
    send(whole(7), end);
    expect(await value()).toEqual([7, true]);
  });

  it('are complete before they are served', async () => {
    const { snapshots, value } = receiving([whole(3), end]);
    await value();
    snapshots.receive('e', whole(5, 'off'));
    expect(await value()).toEqual([3, true]);
    snapshots.receive('e', end);
    expect(await value()).toEqual([5, false]);
  });

  it('have the keys of large segments from all parts', async () => {
    const keys = Array.from({ length: 50 }, (_, n) => `u${n}`);
    const { snapshots } = receiving([
      whole(1),
      { part: 'keys', segment: 's', list: 'included', keys: keys.slice(0, 30) },
      { part: 'keys', segment: 's', list: 'included', keys: keys.slice(30) },
      { part: 'keys', segment: 's', list: 'excluded', keys: ['x'] },
      end,
    ]);
    const held = await snapshots.get('e');
    const expected = compileRuleset({
      ...{ version: 1, environment: 'production', project: 'shop', flags: { a: flag(1, 'on') } },
      segments: { s: { ...segment, included: keys, excluded: ['x'] } },
    });
    const [got, wanted] = [held?.compiled.segments.get('s'), expected.segments.get('s')];
    expect([got?.included.size, got?.excluded.size]).toEqual([wanted?.included.size, wanted?.excluded.size]);
    expect(keys.every((one) => got?.included.has(one))).toBe(true);
  });

  it('change in order while the keys of a large segment are read', async () => {
    const { snapshots, value } = receiving([whole(3), end]);
    await value();
    const keys = Array.from({ length: 20_000 }, (_, n) => `u${n}`);
    snapshots.receive('e', {
      ...(change(3, 4, 'off') as Extract<RulesetPart, { part: 'begin' }>),
      segments: { s: { ...segment, included: [] } },
    });
    for (let n = 0; n < 3; n++)
      snapshots.receive('e', { part: 'keys', segment: 's', list: 'included', keys: keys.map((key) => `${key}-${n}`) });
    snapshots.receive('e', end);
    snapshots.receive('e', change(4, 5, 'on'));
    snapshots.receive('e', end);
    expect(await value()).toEqual([3, true]);
    await snapshots.refresh(['e']);
    expect(await value()).toEqual([5, true]);
    const held = await snapshots.get('e');
    expect(held?.compiled.segments.get('s')?.included.size).toBe(60_000);
  });

  it('end with their environment, also one that was removed while the server was away', async () => {
    const { snapshots, value } = receiving([whole(1), end]);
    await value();
    snapshots.drop('e');
    const gone = receiving();
    gone.snapshots.receive('e', whole(1));
    gone.snapshots.receive('e', end);
    expect(await gone.value()).toEqual([1, true]);
    await gone.snapshots.resume();
    expect(await gone.value()).toBeUndefined();
  });
});
