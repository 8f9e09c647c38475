import { flagMetricsRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import { fail } from '../../../platform/fail.ts';
import { parseWindow } from '../../../platform/time-window.ts';
import type { Feature } from '../../feature.ts';
import { findEnvironment, findFlag, type Place } from '../../flags/flags/index.ts';
import { presentVersion } from '../../identity/resources/index.ts';
import { explainMetric } from './explain.ts';
import { experimentUnits } from './pins-store.ts';
import {
  check,
  create,
  find,
  type KnownMetric,
  list,
  type MetricDependencies,
  remove,
  replace,
  requireTelemetry,
} from './service.ts';

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

function handlers(parts: MetricDependencies): MountedRoute[] {
  const { db, clock, gateway } = parts;

  async function explain(
    place: Place,
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
    async listMetrics({ project, query: { search, built_in: builtIn, limit, cursor } }) {
      const after = decodeCursor(cursor, isKey);
      const found = await list(db, project.id, { search, builtIn }, { after, limit });
      const { items, nextCursor } = cutPage(found, limit, ({ key }) => key);
      return page(items.map(present), nextCursor);
    },
    createMetric: async (context) => present(await create(parts, context, context.body)),
    getMetric: async ({ project, params }) => present(await find(db, project.id, params.id)),
    replaceMetric: async (context) => present(await replace(parts, context, context.params.id, context.body)),
    removeMetric: (context) => remove(parts, context, context.params.id),
    async explainMetric(context) {
      const { project, params, query } = context;
      const { definition } = await find(db, project.id, params.id);
      await requireTelemetry(parts, context, query.environment);
      return explain(context, definition, query, context.signal);
    },
    async explainMetricByPost(context) {
      const { project, params, body = {} } = context;
      const { definition } = await find(db, project.id, params.id);
      await requireTelemetry(parts, context, body.environment);
      return explain(context, definition, body, context.signal);
    },
    async explainDraft(context) {
      const { metric, ...asked } = context.body;
      await requireTelemetry(parts, context, asked.environment);
      const { key: _key, name: _name, ...definition } = metric;
      await check(parts, context, definition);
      return explain(context, definition, asked, context.signal);
    },
  });
}

/** A metric that every project has. */
const unversioned = { version: 1, created_by: null, created_at: null, updated_by: null, updated_at: null };

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
    ...(row === undefined ? unversioned : presentVersion(row)),
  };
}
