/**
 * What is not stored: items that the scan or a limit rejected, requests rejected outright and items in quarantine are
 * counted by ingest (`telemetry/ingest/limits/refusals.ts`) in `ingest_refusals`. This feature reads them together
 * with what was stored.
 */

import { usageRoutes } from '@fanion/contract';
import { type Context, implement, type MountedRoute } from '../../../http/context.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { type ScopedTelemetry, scopeOf } from '../../../platform/scoped-telemetry.ts';
import { formatNs, parseWindow } from '../../../platform/time-window.ts';
import type { Feature } from '../../feature.ts';
import { type RetentionClasses, retentionOf } from '../../identity/projects/index.ts';
import { type Interval, stepOf, usageOfEvaluations, usageOfSignals } from './rules.ts';
import {
  listArrived,
  listAttributes,
  listEvaluations,
  listHistory,
  listKept,
  listProjects,
  listRefused,
  listSeries,
  listStored,
} from './store.ts';

/** How many of the largest contributors are listed. */
const worstNamed = 20;

/** Usage: what projects send, what is stored of it, and what makes it large. */
export const usageFeature = {
  name: 'telemetry/usage',
  routes: handlers,
} satisfies Feature;

interface Dependencies {
  readonly db: Database;
  readonly telemetry: ScopedTelemetry;
  readonly clock: Clock;
  readonly config: { readonly retention: Pick<RetentionClasses, 'default'> };
}

function handlers(dependencies: Dependencies): MountedRoute[] {
  return implement(usageRoutes, { getUsage: (context) => usageIn(dependencies, context) });
}

async function usageIn(
  { db, telemetry, clock, config }: Dependencies,
  { workspace, narrowed, query, signal }: Context<typeof usageRoutes.getUsage>,
) {
  const nowMs = clock.now();
  const window = parseWindow({ from: query.from ?? 'now-1d', to: query.to }, nowMs);
  const scope = scopeOf({ workspace, narrowed });
  const step = stepOf(Number((window.toNs - window.fromNs) / 1_000_000_000n));
  const projects = (await listProjects(db, workspace.id, narrowed.project?.id)).map(({ retention, ...project }) => ({
    ...project,
    retention: retentionOf(retention, config.retention.default),
  }));
  const metrics = projects.map(({ number, retention }) => ({
    project: number,
    keptFrom: Math.max(0, Math.floor(nowMs / 1000) - retention.metrics * 86_400),
  }));
  const [arrived, kept, stored, evaluated, refused, history, series, attributes] = await Promise.all([
    listArrived(telemetry, scope, window, signal),
    listKept(telemetry, scope, metrics, signal),
    listStored(telemetry, scope, signal),
    listEvaluations(telemetry, scope, window, signal),
    listRefused(telemetry, scope, window, signal),
    listHistory(telemetry, scope, window, step, signal),
    listSeries(telemetry, scope, window, worstNamed, signal),
    listAttributes(telemetry, scope, window, worstNamed, signal),
  ]);
  return {
    window: { from: formatNs(window.fromNs), to: formatNs(window.toNs) },
    step_seconds: step,
    projects: projects.map(({ id, number, key, name, retention }) => {
      const own = series.find(({ project }) => project === number);
      const names = attributes.find(({ project }) => project === number);
      return {
        project: { id, key, name },
        signals: usageOfSignals(number, { arrived, kept, stored: stored.signals, refused }, retention),
        evaluations: usageOfEvaluations(number, evaluated, stored.evaluations, retention.logs),
        history: history.filter(({ project }) => project === number).map(presentInterval),
        series: presentSeries(own),
        attributes: presentAttributes(names),
      };
    }),
  };
}

function presentInterval({ at, signal, items, bytes, lost }: Interval) {
  return { at: new Date(at * 1000).toISOString(), signal, items, bytes, lost };
}

function presentSeries(own: Awaited<ReturnType<typeof listSeries>>[number] | undefined) {
  return {
    count: own?.count ?? 0,
    worst: (own?.worst ?? []).map(([metric, count]) => ({ metric, series: count })),
  };
}

function presentAttributes(own: Awaited<ReturnType<typeof listAttributes>>[number] | undefined) {
  return {
    names: own?.names ?? 0,
    worst: (own?.worst ?? []).map(([source, scope, name, cardinality]) => ({ source, scope, name, cardinality })),
  };
}
