import { afterEach, describe, expect, it } from 'vitest';
import { createLog } from '../../../platform/log.ts';
import { type Health, watchHealth } from './health.ts';

const log = createLog('silent');
let health: Health | undefined;
afterEach(() => health?.stop());

describe('the health of a dependency', () => {
  it('is that of the moment of the probe', async () => {
    let fails = false;
    const check = async () => {
      if (fails) throw new Error('connection refused');
      return { status: 'up' as const };
    };
    health = watchHealth([{ name: 'control_plane', check }], { log });
    expect(await health.dependencies()).toEqual([{ name: 'control_plane', status: 'up' }]);
    fails = true;
    expect(await health.dependencies()).toEqual([
      { name: 'control_plane', status: 'down', detail: 'connection refused' },
    ]);
    fails = false;
    expect(await health.dependencies()).toEqual([{ name: 'control_plane', status: 'up' }]);
  });

  it('is that of its last check while it does not answer, and it is asked once', async () => {
    let asked = 0;
    const check = () => {
      asked++;
      return new Promise<never>(() => {});
    };
    health = watchHealth([{ name: 'telemetry_store', check }], { log });
    const both = await Promise.all([health.dependencies(), health.dependencies()]);
    expect(both[0]).toEqual([{ name: 'telemetry_store', status: 'up' }]);
    expect(asked).toBe(1);
  });
});
