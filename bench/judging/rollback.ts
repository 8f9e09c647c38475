import { judge } from '../../packages/server/src/features/judging/guarded-releases/numbers-rules.ts';
import { builtInMetric } from '../../packages/server/src/features/judging/metrics/index.ts';
import { guardedWorld } from './guarded-world.ts';
import { type Evaluated, startTraffic } from './traffic.ts';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const guard = { tolerance: 0.01, min_units: 100, direction: 'down_is_good' } as const;

export interface RollbackOptions {
  readonly rounds: number;
  readonly perSecond: number;
}

/**
 * From enough data to what a unit of the variant gets: requests fail at 1 %, and at some time those of the variant begin to fail at
 * 10 %. There is enough data as soon as the server has acknowledged requests whose numbers, by the same test, are a regression.
 */
export async function measureRollback({ rounds, perSecond }: RollbackOptions): Promise<void> {
  const world = await guardedWorld();
  const took: number[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const flag = `flag-${round}`;
      await world.addFlag(flag);
      await world.arm(flag, guard);
      const sums = { true: { n: 0, failed: 0 }, false: { n: 0, failed: 0 } };
      let isBroken = false;
      let enoughAt: number | undefined;
      let treated: string | undefined;
      const traffic = await startTraffic({
        ...world,
        flags: [flag],
        perSecond,
        units: 10_000_000,
        fails: (variant) => Math.random() < (isBroken && variant === 'true' ? 0.1 : 0.01),
        acknowledged(batch: readonly Evaluated[]) {
          for (const { variant, failed, unit } of batch) {
            if (variant === 'true') treated ??= unit;
            const arm = variant === 'true' ? sums.true : sums.false;
            arm.n++;
            if (failed) arm.failed++;
          }
          if (enoughAt === undefined && isRegression(sums)) enoughAt = performance.now();
        },
      });
      // So that the regression begins at any time between two looks.
      await sleep(15_000 + (round * 10_000) / rounds);
      isBroken = true;
      const deadline = performance.now() + 60_000;
      while (treated === undefined || (await world.variant(flag, treated)) === 'true') {
        if (performance.now() > deadline) throw new Error(`nothing was rolled back: ${JSON.stringify(sums)}`);
        await sleep(50);
      }
      const at = performance.now();
      await traffic.stop();
      const { state, ended_reason } = await world.release(flag);
      if (state !== 'rolled_back' || enoughAt === undefined) throw new Error(`${state}: ${ended_reason}`);
      took.push((at - enoughAt) / 1_000);
      console.log(`round ${round + 1}: ${(took.at(-1) ?? 0).toFixed(1)} s; ${ended_reason}`);
    }
  } finally {
    await world.stop();
  }
  const sorted = took.sort((a, b) => a - b);
  console.log(
    `from enough data to the rollback at ${perSecond} evaluations/s, ${rounds} rounds: median ${sorted[Math.floor(rounds / 2)]?.toFixed(1)} s, ` +
      `longest ${sorted.at(-1)?.toFixed(1)} s (limit: 12 s)`,
  );
}

/** Whether the guard of a release finds a regression in these numbers: each unit has one request. */
function isRegression(sums: Readonly<Record<'true' | 'false', { readonly n: number; readonly failed: number }>>) {
  const metric = builtInMetric('error_rate');
  if (metric === undefined) throw new Error('error_rate is built in');
  const arm = (variant: 'true' | 'false') => {
    const { n, failed } = sums[variant];
    const before = { p: 0, pp: 0, px: 0, py: 0, q: 0, qq: 0, qx: 0, qy: 0, pq: 0 };
    const counted = {
      n,
      x: failed,
      xx: failed,
      y: n,
      yy: n,
      xy: failed,
      active: n,
      events: failed,
      rows: n,
      skipped: 0,
    };
    return { variant, slice: '', quantile: null, ...before, ...counted };
  };
  const arms = { control: arm('false'), treatment: arm('true') };
  return judge(metric, guard, arms, { alpha: 0.05, guards: 1, comparedWith: 'control' }).verdict === 'harm';
}
