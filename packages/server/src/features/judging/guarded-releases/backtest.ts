import type { GuardedBacktest } from '@fanion/contract';
import type { Clock } from '../../../platform/clock.ts';
import type { Gateway } from '../../../platform/gateway/index.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { type Place, targetingNow } from '../../flags/flags/index.ts';
import type { ProjectRetention } from '../../identity/projects/index.ts';
import { createMeasure, daysSeen, type Exposed, findKnownMetrics, pastWindow } from '../metrics/index.ts';
import { cutPast, judgeBacktest, type Replay } from './backtest-rules.ts';
import type { ReleaseRow } from './store.ts';

const pastDays = 30;
/** Random divisions of the same units. */
const salts = 3;
const looks = 8;

export interface BacktestDependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly gateway: Gateway;
  readonly retention: ProjectRetention;
}

/** Replays the guards of a release over the past, in which nothing was different between the arms. */
export function createBacktest({ db, clock, gateway, retention }: BacktestDependencies) {
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
    const past = pastWindow(pastDays, clock.now(), await retention.of(project.id));
    const cut = cutPast(definition.steps, { ...past, looks });
    const slicing = { by: 'start', bounds: cut.bounds } as const;
    const replays: Replay[] = [];
    let units = 0;
    let days = 1;
    for (let salt = 0; salt < salts && served !== undefined; salt++) {
      const exposed: Exposed = {
        scope: { workspace: workspace.number, project: project.number, environment: environment.key },
        flag,
        arms: ['control', 'treatment'],
        ...past,
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
      days = daysSeen(found.firstMs, past);
      const definitions = metrics.map((metric) => metric.definition);
      replays.push({ measured: await measure.all(exposed, definitions, { slicing, units: found, signal }) });
    }
    const note =
      units === 0
        ? `No unit saw ${served === undefined ? 'one single variant' : `"${served}"`} of the flag in the last ${pastDays} days, so nothing could be replayed.`
        : null;
    return {
      from: new Date(past.fromMs).toISOString(),
      to: new Date(past.toMs).toISOString(),
      days,
      ...judgeBacktest({ ...definition, guards }, metrics, replays, { cut, units, days }),
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
