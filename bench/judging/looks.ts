import { guardedWorld } from './guarded-world.ts';
import { startTraffic } from './traffic.ts';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export interface LooksOptions {
  readonly releases: number;
  readonly perSecond: number;
  readonly seconds: number;
}

/** What looks cost: the same traffic without guarded releases, and then with them. */
export async function measureLooks({ releases, perSecond, seconds }: LooksOptions): Promise<void> {
  const world = await guardedWorld();
  try {
    const flags = Array.from({ length: releases }, (_, i) => `flag-${i}`);
    for (const flag of flags) await world.addFlag(flag);
    const traffic = await startTraffic({
      ...world,
      flags,
      perSecond,
      units: 20_000,
      fails: () => Math.random() < 0.01,
    });
    await sleep(10_000);
    const without = await coresOver(world, seconds);
    for (const flag of flags) await world.arm(flag, { tolerance: 0.05, min_units: 100 });
    await sleep(20_000);
    const looksBefore = await looks(world);
    const evaluated = traffic.sent();
    const withLooks = await coresOver(world, seconds);
    const perRelease = ((await looks(world)) - looksBefore) / releases;
    const rate = (traffic.sent() - evaluated) / seconds;
    await traffic.stop();
    const rolledBack = (await world.releases()).filter(({ state }) => state === 'rolled_back').length;
    const cores = (of: { server: number; stores: number }) =>
      `${(of.server + of.stores).toFixed(2)} cores (server ${of.server.toFixed(2)}, stores ${of.stores.toFixed(2)})`;
    console.log(
      `${releases} guarded releases, ${rate.toFixed(0)} evaluations/s: ${cores(withLooks)}; without them ${cores(without)}`,
    );
    console.log(
      `the looks: ${cores({ server: withLooks.server - without.server, stores: withLooks.stores - without.stores })} (limit: 0.5); ` +
        `each release was looked at every ${(seconds / perRelease).toFixed(1)} s; ${rolledBack} were rolled back`,
    );
  } finally {
    await world.stop();
  }
}

type World = Awaited<ReturnType<typeof guardedWorld>>;

async function coresOver(world: World, seconds: number) {
  const [before, began] = [world.cpu(), performance.now()];
  await sleep(seconds * 1_000);
  const [after, took] = [world.cpu(), (performance.now() - began) / 1_000];
  return { server: (after.server - before.server) / took, stores: (after.stores - before.stores) / took };
}

async function looks(world: World): Promise<number> {
  return (await world.releases()).reduce((sum, release) => sum + release.looks, 0);
}
