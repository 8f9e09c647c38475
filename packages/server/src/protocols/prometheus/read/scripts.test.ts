import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetryWorld, type TelemetryWorld } from '../../../testing/telemetry-world.ts';
import { newWorkspace, type SignedUp, signUp } from '../../../testing/test-client.ts';
import { runScriptThroughDoor } from '../testing/script-door.ts';

/** Like `packages/promql/src/testing/measure.ts`: the folder of Prometheus' own scripts, to measure instead of our fixtures. */
const given = process.env.FANION_PROMQL_SCRIPTS;
const folder = given ?? fileURLToPath(new URL('../../../../../promql/fixtures/', import.meta.url));

/** An owner has at most 50. */
const workspacesOfOwner = 40;

/** docs/compatibility.md has the reasons. */
const deviations = ['rate(gauge[2m])'];

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
      const asked = outcomes.filter(({ query, leftOut }) => leftOut === undefined && !deviations.includes(query));
      const wrong = asked.filter((one) => one.wrong !== undefined);
      if (given !== undefined)
        console.log(
          `${file}: ${asked.length - wrong.length} of ${asked.length}, left out ${outcomes.length - asked.length}`,
        );
      expect(asked).not.toEqual([]);
      expect(wrong).toEqual([]);
    },
    given === undefined ? 120_000 : 1_200_000,
  );
});
