import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evaluate, type Flag, type Ruleset } from '@fanion/flag-engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../platform/ids.ts';
import { createLog } from '../../../platform/log.ts';
import type { LoadedRuleset } from '../flags/index.ts';
import { createRulesetDisk } from './ruleset-disk.ts';
import { type RulesetSource, type RulesetSwap, Rulesets } from './rulesets.ts';

const log = createLog('silent');
const environment = newId();

function flag(key: string, version: number, value: string): Flag {
  return {
    key,
    kind: 'string',
    version,
    enabled: true,
    variants: [{ key: 'a', value }],
    off_variant: 'a',
    fallthrough: { variant: 'a' },
    targets: [],
    rules: [],
    salt: 's',
    prerequisites: [],
  };
}

function loaded(version: number, ...flags: (Flag & { id?: string })[]): LoadedRuleset {
  const ruleset: Ruleset = {
    version,
    environment: 'production',
    project: 'shop',
    flags: Object.fromEntries(flags.map((one) => [one.key, one])),
    segments: {},
  };
  const flagStamps = new Map(flags.map((one) => [one.key, `${one.id ?? one.key}:${one.version}`]));
  return { ruleset, flagStamps, segmentStamps: new Map() };
}

const away = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));

describe('rulesets in memory', () => {
  let now: LoadedRuleset | undefined;
  let isAway: boolean;
  let loads: number;
  let swaps: RulesetSwap[];
  let dropped: string[];
  const source: RulesetSource = {
    load() {
      loads++;
      return isAway ? away() : Promise.resolve(now);
    },
    versions: () => (isAway ? away() : Promise.resolve(new Map(now && [[environment, now.ruleset.version]]))),
  };
  const create = (disk?: ReturnType<typeof createRulesetDisk>) => {
    const rulesets = new Rulesets({ source, log, clock: { now: () => 0 }, disk, pollMs: 1_000_000 });
    rulesets.listen({ swapped: (swap) => swaps.push(swap), dropped: (id) => dropped.push(id) });
    return rulesets;
  };
  const served = async (rulesets: ReturnType<typeof create>, key: string) => {
    const held = await rulesets.get(environment);
    return held === undefined ? undefined : evaluate(held.compiled, key, {}).value;
  };

  beforeEach(() => {
    now = loaded(1, flag('f', 1, 'one'));
    isAway = false;
    loads = 0;
    swaps = [];
    dropped = [];
  });

  it('lets others evaluate while the keys of a large segment are read', async () => {
    now = loaded(1, flag('f', 1, 'one'));
    const rulesets = create();
    await rulesets.get(environment);
    const included = Array.from({ length: 300_000 }, (_, i) => `user-${i}`);
    const { ruleset, ...stamps } = loaded(2, flag('f', 1, 'one'));
    const segments = { beta: { key: 'beta', version: 1, included, excluded: [], rules: [] } };
    now = { ...stamps, ruleset: { ...ruleset, segments }, segmentStamps: new Map([['beta', 'beta:1']]) };
    let isOver = false;
    const refreshing = rulesets.refresh([environment]).then(() => {
      isOver = true;
    });
    let turns = 0;
    while (!isOver) {
      await new Promise(setImmediate);
      turns++;
    }
    await refreshing;
    // 300,000 keys take at least ten times the 2 ms after which others get a turn.
    expect(turns).toBeGreaterThan(3);
    expect(swaps[0]?.held.compiled.segments.get('beta')?.included.has('user-299999')).toBe(true);
    await rulesets.stop();
  });

  it('are loaded once for concurrent requests', async () => {
    const rulesets = create();
    await Promise.all(Array.from({ length: 20 }, () => rulesets.get(environment)));
    await rulesets.get(environment);
    expect(loads).toBe(1);
    await rulesets.stop();
  });

  it('are replaced by newer ones with only the changes, and never by older ones', async () => {
    const rulesets = create();
    await rulesets.get(environment);
    const same = flag('same', 1, 'x');
    now = loaded(3, flag('f', 2, 'two'), same);
    await rulesets.refresh([environment]);
    expect(await served(rulesets, 'f')).toBe('two');
    now = loaded(4, same);
    await rulesets.refresh();
    expect(
      swaps.map(({ from, patch }) => [from, patch.version, Object.keys(patch.flags ?? {}), patch.flags?.f ?? null]),
    ).toEqual([
      [1, 3, ['f', 'same'], expect.objectContaining({ version: 2 })],
      [3, 4, ['f'], null],
    ]);
    now = loaded(2, flag('f', 9, 'old'));
    await rulesets.refresh();
    expect(await served(rulesets, 'same')).toBe('x');
    await rulesets.stop();
  });

  it('detect a flag that was deleted and recreated between two reads', async () => {
    const rulesets = create();
    await rulesets.get(environment);
    now = loaded(3, { ...flag('f', 1, 'another'), id: 'another row' });
    await rulesets.refresh();
    expect(await served(rulesets, 'f')).toBe('another');
    await rulesets.stop();
  });

  it('are served while the control plane is down, and are dropped with their environment', async () => {
    const rulesets = create();
    await rulesets.get(environment);
    isAway = true;
    await expect(rulesets.refresh()).rejects.toThrow();
    expect(await served(rulesets, 'f')).toBe('one');
    isAway = false;
    now = undefined;
    rulesets.drop(environment);
    expect(dropped).toEqual([environment]);
    expect(await rulesets.get(environment)).toBeUndefined();
    await rulesets.stop();
  });

  describe('with a disk', () => {
    let directory: string;
    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'fanion-rulesets-'));
    });
    afterEach(() => rm(directory, { recursive: true, force: true }));
    const disk = () => createRulesetDisk({ directory, log });

    it('serves the last one after a start without the control plane, and reports it', async () => {
      const before = create(disk());
      await before.get(environment);
      now = loaded(2, flag('f', 2, 'two'));
      await before.refresh();
      await before.stop();

      isAway = true;
      const after = create(disk());
      expect(await served(after, 'f')).toBe('two');
      expect(after.fromDisk()).toBe(1);
      isAway = false;
      await after.refresh();
      expect(after.fromDisk()).toBe(0);
      now = loaded(3, flag('f', 3, 'three'));
      await after.refresh();
      expect(await served(after, 'f')).toBe('three');
      await after.stop();
    });

    it('does not serve an unknown environment, and forgets a deleted one', async () => {
      const first = create(disk());
      await first.get(environment);
      first.drop(environment);
      await first.stop();
      isAway = true;
      const second = create(disk());
      await expect(Promise.resolve(second.get(environment))).rejects.toThrow('refused');
      await second.stop();
    });
  });
});
