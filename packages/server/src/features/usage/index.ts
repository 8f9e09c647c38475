import { usageRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../http/context.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type ScopedTelemetry, scopeOf } from '../../platform/scoped-telemetry.ts';
import { formatNs, parseWindow } from '../../platform/time-window.ts';
import { usageOfSignals } from './rules.ts';
import { listArrived, listAttributes, listProjects, listRefused, listSeries, listStored } from './store.ts';

/** Offenders that are named. */
const worstNamed = 20;

/** What projects send, what is kept of it, and what makes it large. */
export function usageFeature({
  db,
  telemetry,
  clock,
  retentionDays,
}: {
  db: Database;
  telemetry: ScopedTelemetry;
  clock: Clock;
  retentionDays: number;
}): MountedRoute[] {
  return implement(usageRoutes, {
    async getUsage({ workspace, narrowed, query, signal }) {
      const nowMs = clock.now();
      const window = parseWindow({ from: query.from ?? 'now-1d', to: query.to }, nowMs);
      const scope = scopeOf({ workspace, narrowed });
      const [projects, arrived, stored, refused, series, attributes] = await Promise.all([
        listProjects(db, workspace.id, narrowed.project?.id),
        listArrived(telemetry, scope, window, { days: retentionDays, nowMs }, signal),
        listStored(telemetry, scope, signal),
        listRefused(telemetry, scope, window, signal),
        listSeries(telemetry, scope, window, worstNamed, signal),
        listAttributes(telemetry, scope, window, worstNamed, signal),
      ]);
      return {
        window: { from: formatNs(window.fromNs), to: formatNs(window.toNs) },
        projects: projects.map(({ id, number, key, name }) => {
          const own = series.find(({ project }) => project === number);
          const names = attributes.find(({ project }) => project === number);
          return {
            project: { id, key, name },
            signals: usageOfSignals(number, { arrived, stored, refused }, retentionDays),
            series: {
              count: own?.count ?? 0,
              worst: (own?.worst ?? []).map(([metric, count]) => ({ metric, series: count })),
            },
            attributes: {
              names: names?.names ?? 0,
              worst: (names?.worst ?? []).map(([source, of, attribute, cardinality]) => ({
                source,
                scope: of,
                name: attribute,
                cardinality,
              })),
            },
          };
        }),
      };
    },
  });
}
