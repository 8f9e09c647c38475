import type { GuardedBacktest } from '@fanion/contract';
import type { Clock } from '../../../platform/clock.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { type Place, targetingNow } from '../../flags/flags/index.ts';
import { createMeasure, type Exposed, findKnownMetrics } from '../metrics/index.ts';
import { cutPast, judgeBacktest, type Replay } from './backtest-rules.ts';
import type { ReleaseRow } from './store.ts';

const dayMs = 86_400_000;
const pastDays = 30;
/** Random divisions of the same units. */
const salts = 3;
const looks = 8;

/** Replays the guards of a release over the past, in which nothing was different between the arms. */
export function createBacktest({ db, clock, gateway }: { db: Database; clock: Clock; gateway: Gateway }) {
  const measure = createMeasure(gateway, 'interactive');

  return async (
    { workspace, project }: Place,
    environment: { readonly id: string; readonly key: string },
    flag: string,
    release: ReleaseRow,
    signal: AbortSignal,
  ): Promise<GuardedBacktest> => {
    const { definition } = release;
    const known = await findKnownMetrics(
      db,
      project.id,
      definition.guards.map(({ metric }) => metric),
    );
    // A guard whose metric was deleted cannot be replayed.
    const guards = definition.guards.filter(({ metric }) => known.has(metric));
    const metrics = guards.flatMap(({ metric }) => known.get(metric) ?? []);
    const served = release.frozen?.control ?? (await servedNow(db, project.id, flag, environment.id));
    const toMs = clock.now();
    const fromMs = toMs - pastDays * dayMs;
    const cut = cutPast(definition.steps, { fromMs, toMs, looks });
    const slicing = { by: 'start', bounds: cut.bounds } as const;
    const replays: Replay[] = [];
    let units = 0;
    for (let salt = 0; salt < salts && served !== undefined; salt++) {
      const exposed: Exposed = {
        scope: { workspace: workspace.number, project: project.number, environment: environment.key },
        flag,
        arms: ['control', 'treatment'],
        fromMs,
        toMs,
        split: {
          seed: `backtest-${release.id}-${salt}`,
          served,
          parts: [
            { arm: 'control', weight: 50_000 },
            { arm: 'treatment', weight: 50_000 },
          ],
        },
      };
      const found = await measure.units(exposed, signal, slicing);
      units = Object.values(found.arms).reduce((sum, n) => sum + n, 0);
      if (units === 0) break;
      const definitions = metrics.map((metric) => metric.definition);
      replays.push({ measured: await measure.all(exposed, definitions, { slicing, units: found, signal }) });
    }
    const note =
      units === 0
        ? `No unit saw ${served === undefined ? 'one single variant' : `"${served}"`} of the flag in the last ${pastDays} days, so nothing could be replayed.`
        : null;
    return {
      from: new Date(fromMs).toISOString(),
      to: new Date(toMs).toISOString(),
      days: pastDays,
      ...judgeBacktest({ ...definition, guards }, metrics, replays, { cut, units, days: pastDays }),
      note,
    };
  };
}

/** The one variant that everyone else gets; undefined where there are several. */
async function servedNow(
  db: Database,
  projectId: string,
  flag: string,
  environmentId: string,
): Promise<string | undefined> {
  const { config } = await targetingNow(db, projectId, { flag, environmentId });
  const { variant } = config.fallthrough;
  return typeof variant === 'string' ? variant : undefined;
}
