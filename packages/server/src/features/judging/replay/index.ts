import { replayRoutes } from '@fanion/contract';
import { patchRuleset } from '@fanion/flag-engine';
import type { Config } from '../../../config.ts';
import { implement, type MountedRoute } from '../../../http/context.ts';
import { fail } from '../../../platform/fail.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { ScopedTelemetry } from '../../../platform/scoped-telemetry.ts';
import type { FeatureDependencies } from '../../dependencies.ts';
import type { Feature } from '../../feature.ts';
import type { Rulesets } from '../../flags/evaluation/index.ts';
import { proposedFlag } from '../../flags/flags/index.ts';
import { requireReadable } from '../../identity/access/index.ts';
import { newReplay, replayUnit } from './rules.ts';
import { countWithoutUnit, listUnits } from './store.ts';

/** What a change of targeting would do to the units of the last hour. */
export const replayFeature = {
  name: 'judging/replay',
  routes: handlers,
} satisfies Feature;

const windowMs = 3_600_000;
/** Units that are evaluated before other requests get their turn: some milliseconds. */
const slice = 100;

function handlers({
  access,
  db,
  clock,
  telemetry,
  config,
  rulesets,
  gateway,
}: FeatureDependencies & {
  readonly gateway: Gateway;
  readonly rulesets: Rulesets;
  readonly telemetry: ScopedTelemetry;
  readonly config: Pick<Config, 'replay'>;
}): MountedRoute[] {
  return implement(replayRoutes, {
    async replayFlag({ workspace, project, environment, caller, params: { key }, body, signal }) {
      await requireReadable(access, caller, {
        workspace: workspace.id,
        project: project.id,
        environment: environment.key,
      });
      const flag = await proposedFlag(db, project.id, { flag: key, environmentId: environment.id }, body);
      const held = await rulesets.get(environment.id);
      if (held === undefined) throw fail('NOT_FOUND', { resource: 'environment' });
      const toMs = clock.now();
      const window = { fromNs: BigInt(toMs - windowMs) * 1_000_000n, toNs: BigInt(toMs) * 1_000_000n };
      const scope = { workspace: workspace.number, project: project.number, environment: environment.key };
      const seen = { scope, flag: key, window };
      const [{ units, all }, withoutUnit] = await Promise.all([
        listUnits(telemetry, seen, config.replay.units, signal),
        countWithoutUnit(gateway, seen, signal),
      ]);
      const now = held.compiled;
      const proposed = patchRuleset(now, { version: now.version, flags: { [key]: flag } });
      const replay = newReplay();
      for (let at = 0; at < units.length; at += slice) {
        for (const unit of units.slice(at, at + slice)) replayUnit(replay, { now, proposed }, key, unit);
        await new Promise(setImmediate);
        signal.throwIfAborted();
      }
      return {
        from: new Date(toMs - windowMs).toISOString(),
        to: new Date(toMs).toISOString(),
        units: all,
        replayed: replay.replayed,
        changed: replay.changed,
        moves: [...replay.moves.values()].toSorted((a, b) => b.units - a.units),
        examples: replay.examples,
        uncertain: [...replay.uncertain]
          .map(([reads, n]) => ({ reads, units: n }))
          .toSorted((a, b) => b.units - a.units),
        skipped: all - units.length,
        without_unit: withoutUnit,
      };
    },
  });
}
