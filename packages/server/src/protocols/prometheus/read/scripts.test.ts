import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { newWorkspace, type SignedUp, signUp } from '../../../testing/test-client.ts';
import { runScriptThroughDoor } from '../testing/script-door.ts';

const folder = fileURLToPath(new URL('../../../../../promql/fixtures/', import.meta.url));

/** An owner has at most 50. */
const workspacesOfOwner = 40;

describe('scripts of Prometheus through the HTTP API', () => {
  let world: TelemetryWorld;
  let owner: SignedUp;
  let used = 0;
  const next = async () => {
    if (used++ % workspacesOfOwner === 0) owner = await signUp(world.base, 'scripts');
    return newWorkspace(owner, 'script');
  };

  beforeAll(async () => {
    world = await startTelemetryWorld();
  }, 120_000);
  afterAll(() => world?.stop());

  it.each(readdirSync(folder))(
    '%s',
    async (file) => {
      const outcomes = await runScriptThroughDoor(readFileSync(join(folder, file), 'utf8'), next);
      expect(outcomes.length).toBeGreaterThan(5);
      expect(outcomes.filter((one) => one.wrong !== undefined)).toEqual([]);
    },
    120_000,
  );
});
