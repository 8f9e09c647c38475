import { logPatternsRoutes } from '@fanion/contract';
import { implement, type MountedRoute, page } from '../../../http/context.ts';
import { cutPage, decodeCursor } from '../../../http/cursor.ts';
import type { Clock } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { type ScopedTelemetry, scopeOf } from '../../../platform/scoped-telemetry.ts';
import { formatNs, parseTime, parseWindow } from '../../../platform/time-window.ts';
import type { Feature } from '../../feature.ts';
import {
  bySeverityName,
  isPositionKey,
  type Position,
  positionKey,
  readPosition,
  type SeverityName,
  severityFloor,
} from './rules.ts';
import { type Filter, listPatternShapes, listPatterns, maxShapes, type PatternRow } from './store.ts';

/** Number of points in a trend. */
const slices = 30;

/** Patterns of recurring log lines. */
export const logPatternsFeature = {
  name: 'telemetry/log-patterns',
  routes: handlers,
} satisfies Feature;

function handlers({ telemetry, clock }: { telemetry: ScopedTelemetry; clock: Clock }): MountedRoute[] {
  return implement(logPatternsRoutes, {
    async listLogPatterns({ query, signal, ...context }) {
      const { filter, after } = asked(query, query.since, clock.now());
      const { limit } = query;
      const rows = await listPatterns(telemetry, scopeOf(context), filter, { slices, after, limit }, signal);
      refuseProse(rows[0]?.all_shapes);
      const { items, nextCursor } = cutPage(rows, limit, ({ total, id }) => endOf(filter, total, id));
      const total = rows[0]?.all_records ?? 0;
      const { window, sinceNs } = filter;
      return {
        total,
        patterns: items.map((row) => present(row, total)),
        other: {
          patterns: (rows[0]?.rest_patterns ?? 0) - items.length,
          count: (rows[0]?.rest_records ?? 0) - items.reduce((sum, item) => sum + item.total, 0),
        },
        next_cursor: nextCursor,
        window: { from: formatNs(window.fromNs), to: formatNs(window.toNs) },
        since: formatNs(sinceNs),
        slice_ms: Number((window.toNs - window.fromNs) / BigInt(slices)) / 1_000_000,
      };
    },

    async listLogPatternShapes({ query, signal, ...context }) {
      const { filter, after } = asked(query, undefined, clock.now());
      const { pattern, limit } = query;
      const rows = await listPatternShapes(telemetry, scopeOf(context), filter, { pattern, after, limit }, signal);
      refuseProse(rows[0]?.all_shapes);
      const { items, nextCursor } = cutPage(rows, limit, ({ total, id }) => endOf(filter, total, id));
      return page(
        items.map(({ id, total, example, first_ns, last_ns }) => ({
          shape: id,
          count: total,
          example,
          first_seen: formatNs(BigInt(first_ns)),
          last_seen: formatNs(BigInt(last_ns)),
        })),
        nextCursor,
      );
    },
  });
}

interface Asked {
  readonly from?: string | number | undefined;
  readonly to?: string | number | undefined;
  readonly service?: string | undefined;
  readonly severity?: SeverityName | undefined;
  readonly search?: string | undefined;
  readonly flag_evaluations: 'include' | 'exclude';
  readonly cursor?: string | undefined;
}

/** The records to group; a cursor contains its window. */
function asked(query: Asked, since: string | number | undefined, now: number) {
  const key = decodeCursor(query.cursor, isPositionKey);
  const after = key === undefined ? undefined : readPosition(key);
  const window = after?.window ?? parseWindow(query, now);
  const lengthNs = window.toNs - window.fromNs;
  const sinceNs = after?.sinceNs ?? (since === undefined ? window.fromNs - lengthNs : parseTime(since, 'since', now));
  if (sinceNs > window.fromNs) throw fail('WINDOW_INVALID', { reason: 'since must be before from' });
  const { service, severity, search, flag_evaluations: flagEvaluations } = query;
  const filter: Filter = {
    ...{ window, sinceNs, service, search, flagEvaluations },
    severity: severity && severityFloor(severity),
  };
  return { filter, after };
}

function endOf({ window, sinceNs }: Filter, count: number, id: string): string {
  const end: Position = { window, sinceNs, count, id };
  return positionKey(end);
}

function refuseProse(shapes = 0): void {
  if (shapes <= maxShapes) return;
  throw fail('QUERY_TOO_EXPENSIVE', {
    reason: `the window has more than ${maxShapes} different shapes of bodies; narrow it, or name a service`,
  });
}

function present(row: PatternRow, total: number) {
  const trend = Array.from({ length: slices }, () => 0);
  for (const [slice, count] of row.trend) trend[slice] = count;
  return {
    id: row.id,
    template: row.template,
    count: row.total,
    share: total === 0 ? 0 : row.total / total,
    severities: bySeverityName(row.severities),
    services: row.services,
    first_seen: formatNs(BigInt(row.first_ns)),
    last_seen: formatNs(BigInt(row.last_ns)),
    is_new: !row.is_known,
    trend,
    examples: row.examples,
    shapes: row.shapes,
    shape_count: row.shape_count,
  };
}
