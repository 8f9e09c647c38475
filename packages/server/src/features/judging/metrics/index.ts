import { flagMetricsRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { fail } from '../../../platform/fail.ts';
import { parseWindow } from '../../../platform/time-window.ts';
import type { Feature } from '../../feature.ts';
import { findEnvironment, findFlag } from '../../flags/flags/index.ts';
import { explainMetric } from './explain.ts';
import { experimentUnits } from './pins-store.ts';
import { createMetricService, type KnownMetric, type MetricDependencies, type MetricPlace } from './service.ts';

export { builtInMetric, builtIns } from './definition-rules.ts';
export type {
  ArmQuantile,
  ArmSums,
  Exposed,
  ExposedUnits,
  ManyExposed,
  MeasureMany,
  MeasureMetrics,
  Measurement,
  MeasureOptions,
  Slicing,
  SplitPart,
} from './measure.ts';
export { createMeasureMany, isForMany } from './measure-many-store.ts';
export { createMeasure } from './measure-store.ts';
export { addSums, armValue, ratioOf, sampleOf } from './numbers-rules.ts';
export { daysSeen, keptFromMs, pastWindow } from './past-rules.ts';
export { pinUnits } from './pins-store.ts';
export { isExpression } from './scan-rules.ts';
export { findKnownMetric, findKnownMetrics, type KnownMetric } from './service.ts';
export { otherSlice } from './units-store.ts';

/** What flags are judged by: numbers of units, from telemetry. */
export const metricsFeature = {
  name: 'judging/metrics',
  routes: handlers,
  tenantTables: [experimentUnits],
} satisfies Feature;

const isKey = (text: string) => /^[a-z0-9][a-z0-9._-]{0,127}$/.test(text);

function handlers(dependencies: MetricDependencies): MountedRoute[] {
  const { db, clock, gateway } = dependencies;
  const service = createMetricService(dependencies);

  async function explain(
    place: MetricPlace,
    definition: KnownMetric['definition'],
    asked: {
      readonly from?: string | number | undefined;
      readonly to?: string | number | undefined;
      readonly flag?: string | undefined;
      readonly environment?: string | undefined;
    },
    signal: AbortSignal,
  ) {
    const { flag } = asked;
    if (flag !== undefined && (await findFlag(db, place.project.id, flag)) === undefined)
      throw fail('FLAG_NOT_FOUND', { key: flag });
    const named = asked.environment;
    const environment = named === undefined ? undefined : await findEnvironment(db, place.project.id, named);
    if (named !== undefined && environment === undefined) throw fail('NOT_FOUND', { resource: 'environment' });
    const scope = { workspace: place.workspace.number, project: place.project.number, environment: environment?.key };
    return explainMetric(gateway, scope, definition, { window: parseWindow(asked, clock.now()), flag, signal });
  }

  return implement(flagMetricsRoutes, {
    async listMetrics({ workspace, project, query: { search, built_in: builtIn, limit, cursor } }) {
      const after = decodeCursor(cursor, isKey);
      const found = await service.list({ workspace, project }, { search, builtIn }, { after, limit });
      const { items, nextCursor } = cutPage(found, limit, ({ key }) => key);
      return page(items.map(present), nextCursor);
    },
    async createMetric({ workspace, project, caller, body, origin, signal }) {
      return present(await service.create({ workspace, project }, caller, body, origin, signal));
    },
    async getMetric({ workspace, project, params }) {
      return present(await service.find({ workspace, project }, params.id));
    },
    async replaceMetric({ workspace, project, caller, params, body, origin, signal }) {
      return present(await service.replace({ workspace, project }, caller, params.id, body, origin, signal));
    },
    async removeMetric({ workspace, project, params, origin }) {
      await service.remove({ workspace, project }, params.id, origin);
      return undefined;
    },
    async explainMetric({ workspace, project, caller, params, query, signal }) {
      const place = { workspace, project };
      const { definition } = await service.find(place, params.id);
      await service.requireTelemetry(place, caller, query.environment);
      return explain(place, definition, query, signal);
    },
    async explainMetricByPost({ workspace, project, caller, params, body = {}, signal }) {
      const place = { workspace, project };
      const { definition } = await service.find(place, params.id);
      await service.requireTelemetry(place, caller, body.environment);
      return explain(place, definition, body, signal);
    },
    async explainDraft({ workspace, project, caller, body: { metric, ...asked }, signal }) {
      const place = { workspace, project };
      await service.requireTelemetry(place, caller, asked.environment);
      const { key: _key, name: _name, ...definition } = metric;
      await service.check(place, definition, signal);
      return explain(place, definition, asked, signal);
    },
  });
}

function present({ id, key, name, definition, row }: KnownMetric) {
  const { value, denominator, quantile, steps, retention, ...rest } = definition;
  return {
    id,
    key,
    name,
    ...rest,
    value: value ?? null,
    denominator: denominator ?? null,
    quantile: quantile ?? null,
    steps: steps ?? null,
    retention: retention ?? null,
    built_in: row === undefined,
    version: row?.version ?? 1,
    created_by: row?.created_by == null ? null : { id: row.created_by, name: row.created_by_name ?? '' },
    created_at: row?.created_at.toISOString() ?? null,
    updated_at: row?.updated_at.toISOString() ?? null,
  };
}
