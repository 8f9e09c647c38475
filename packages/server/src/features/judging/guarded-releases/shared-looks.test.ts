import { describe, expect, it } from 'vitest';
import { fail } from '../../../platform/fail.ts';
import type { Exposed, ExposedUnits, MeasureMany } from '../metrics/index.ts';
import { builtInMetric } from '../metrics/index.ts';
import type { LookMeasure } from './look.ts';
import { SharedLooks } from './shared-looks.ts';
import { lookEveryMs, lookMs, nextLookMs, slotOf } from './slots-rules.ts';

const { signal } = new AbortController();
const metrics = ['error_rate', 'latency'].map((key) => {
  const metric = builtInMetric(key);
  if (metric === undefined) throw new Error(`${key} is built in`);
  return metric.definition;
});
const release = (flag: string, toMs: number, workspace = 1): Exposed => ({
  ...{ flag, toMs, scope: { workspace, project: 1, environment: 'production' } },
  ...{ arms: ['false', 'true'], fromMs: 0 },
});
/** Units that show whose they are. */
const unitsOf = (flag: string, toMs: number): ExposedUnits => ({ arms: { [flag]: toMs }, crossed: 0, slices: [] });

/** Looks over reads that write down who asked. */
function looks({ failing, everyMs }: { failing?: () => Error | undefined; everyMs?: number } = {}) {
  const clock = { now: () => 0 };
  const reads: string[] = [];
  const alone: LookMeasure = {
    async units({ flag, toMs }) {
      reads.push(`units ${flag}`);
      return unitsOf(flag, toMs);
    },
    async all({ flag }, definitions) {
      reads.push(`${definitions.length} of ${flag}`);
      return definitions.map(() => ({ error: flag }));
    },
  };
  const many: MeasureMany = {
    async units({ flags, toMs, scope }) {
      reads.push(`units ${scope.workspace}: ${flags.map(({ flag }) => flag).join(' ')}`);
      return flags.map(({ flag }) => unitsOf(flag, toMs));
    },
    async all({ flags }, definitions, { units }) {
      reads.push(`${definitions.length} of: ${flags.map(({ flag }) => flag).join(' ')}`);
      const error = failing?.();
      if (error !== undefined) throw error;
      expect(units.map(({ arms }) => Object.keys(arms)[0])).toEqual(flags.map(({ flag }) => flag));
      return flags.map(({ flag }) => definitions.map(() => ({ error: flag })));
    },
  };
  const shared = new SharedLooks(alone, many, clock, everyMs);
  const look = async (exposed: Exposed, definitions = metrics) => {
    const units = await shared.units(exposed, signal);
    return { units, measured: await shared.all(exposed, definitions, { units, signal }) };
  };
  /** The reads of looks at one time, which run side by side. */
  const at = async (...exposed: Exposed[]) => {
    reads.length = 0;
    for (const [i, found] of (await Promise.all(exposed.map((one) => look(one)))).entries()) {
      const { flag, toMs } = exposed[i] ?? release('', 0);
      expect(found).toEqual({ units: unitsOf(flag, toMs), measured: metrics.map(() => ({ error: flag })) });
    }
    return [...reads];
  };
  return { at, look, reads };
}

describe('the looks of an environment', () => {
  it('share two reads from their second time on, each with its own numbers', async () => {
    const { at } = looks();
    const of = (slot: number) => ['a', 'b', 'c'].map((flag) => release(flag, slot * lookMs));
    await at(...of(1));
    expect(await at(...of(2))).toEqual(['units 1: a b c', '2 of: a b c']);
    expect(await at(...of(3))).toEqual(['units 1: a b c', '2 of: a b c']);
  });

  it('share reads also where they come less often', async () => {
    const { at } = looks({ everyMs: 8 * lookMs });
    const of = (slot: number) => ['a', 'b'].map((flag) => release(flag, slot * 8 * lookMs));
    await at(...of(1));
    expect(await at(...of(2))).toEqual(['units 1: a b', '2 of: a b']);
  });

  it('find their numbers also if they run one after the other', async () => {
    const { at } = looks();
    for (const slot of [1, 2]) for (const flag of ['a', 'b']) await at(release(flag, slot * lookMs));
    expect(await at(release('b', 3 * lookMs))).toEqual(['units 1: b a', '2 of: b a']);
    expect(await at(release('a', 3 * lookMs))).toEqual([]);
  });

  it('do not measure releases that have ended, nor those of another workspace', async () => {
    const { at } = looks();
    await at(release('a', lookMs), release('ended', lookMs), release('foreign', lookMs, 2));
    for (const slot of [2, 3]) await at(release('a', slot * lookMs), release('foreign', slot * lookMs, 2));
    expect(await at(release('a', 4 * lookMs))).toEqual(['units a', '2 of a']);
  });

  it('measure releases with other metrics apart', async () => {
    const { look, reads } = looks();
    const one = metrics.slice(0, 1);
    for (const slot of [1, 2]) {
      reads.length = 0;
      for (const [flag, asked] of [
        ['a', metrics],
        ['b', metrics],
        ['c', one],
        ['d', one],
      ] as const)
        await look(release(flag, slot * lookMs), asked);
    }
    expect(reads).toEqual(['units 1: a b c d', '2 of: a b', '1 of: c d']);
  });

  it('are measured one by one where a read for all of them fails', async () => {
    const { at } = looks({ failing: () => fail('METRIC_INVALID', { reason: 'too large' }) });
    const of = (slot: number) => ['a', 'b'].map((flag) => release(flag, slot * lookMs));
    for (const one of of(1)) await at(one);
    expect(await at(...of(2))).toEqual(['units 1: a b', '2 of: a b', '2 of a', '2 of b']);
    expect(await at(...of(3))).toEqual(['units 1: a b', '2 of a', '2 of b']);
  });

  it('all learn nothing while the store is away, and share again when it is back', async () => {
    let isAway = false;
    const { at, look } = looks({
      failing: () => (isAway ? fail('STORE_UNAVAILABLE', { store: 'telemetry store' }) : undefined),
    });
    const of = (slot: number) => ['a', 'b'].map((flag) => release(flag, slot * lookMs));
    await at(...of(1));
    isAway = true;
    const found = await Promise.allSettled(of(2).map((one) => look(one)));
    expect(found.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isAway = false;
    expect(await at(...of(3))).toEqual(['units 1: a b', '2 of: a b']);
  });
});

describe('the time of a look', () => {
  it('comes every ten seconds, for all releases of an environment at once', () => {
    const environments = ['019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e0f', '019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e10'];
    for (const environment of environments)
      for (let now = 1_000_000; now < 1_000_000 + 3 * lookMs; now += 137) {
        const { at, next } = slotOf(environment, now);
        expect([at <= now, next > now, next - at]).toEqual([true, true, lookMs]);
        expect(slotOf(environment, next)).toEqual({ at: next, next: next + lookMs });
        expect(slotOf(environment, next - 1).at).toBe(at);
      }
    expect(slotOf(environments[0] ?? '', 0)).not.toEqual(slotOf(environments[1] ?? '', 0));
  });

  it.each([
    ['of a new release', 0, 0, 10],
    ['of a step of two hours', 2, 2, 10],
    ['of a step of a day', 24, 24, 80],
    ['of a step of two weeks', 336, 336, 80],
    ['of a step that began now, two weeks later', 336, 0, 80],
  ])('%s comes less often with age, but within 80 seconds', (_, armedHours, stepHours, seconds) => {
    const now = 1_795_000_000_000;
    const ago = (hours: number) => new Date(now - hours * 3_600_000);
    expect(lookEveryMs(ago(armedHours), ago(stepHours), now)).toBe(seconds * 1_000);
  });

  it('is one of those of ten seconds, and the first after the end of a step', () => {
    const environment = '019346e2-8b7a-7c4e-9d3f-5a6b7c8d9e0f';
    const isSlot = (at: number) => slotOf(environment, at).at === at;
    for (let now = 1_000_000; now < 1_000_000 + 3 * lookMs; now += 137)
      for (const everyMs of [lookMs, 8 * lookMs]) {
        const usual = nextLookMs(environment, now, everyMs, null);
        expect([isSlot(usual), usual > now, usual <= now + everyMs]).toEqual([true, true, true]);
        expect(nextLookMs(environment, usual, everyMs, null)).toBe(usual + everyMs);
        const sooner = nextLookMs(environment, now, everyMs, new Date(now + 5_000));
        expect([isSlot(sooner), sooner >= Math.min(now + 5_000, usual), sooner <= now + 5_000 + lookMs]).toEqual([
          true,
          true,
          true,
        ]);
        expect(nextLookMs(environment, now, everyMs, new Date(now))).toBe(usual);
      }
  });
});
