import { logPatternsRoutes } from '@fanion/contract';
import { maskBody } from '@fanion/telemetry';
import { implement, type MountedRoute } from '../../../http/context.ts';
import type { Clock } from '../../../platform/clock.ts';
import { fail } from '../../../platform/fail.ts';
import { type ScopedTelemetry, scopeOf } from '../../../platform/scoped-telemetry.ts';
import { formatNs, parseTime, parseWindow } from '../../../platform/time-window.ts';
import type { Feature } from '../../feature.ts';
import { findPatterns, type Pattern, type Shape, severityFloor, severityName } from './rules.ts';
import { listShapes, maxShapes, type ShapeRow } from './store.ts';

export type { Template } from './rules.ts';

/** Parts of the window in a trend. */
const slices = 30;

/** What logs say over and over again. */
export const logPatternsFeature = {
  name: 'telemetry/log-patterns',
  routes: handlers,
} satisfies Feature;

function handlers({ telemetry, clock }: { telemetry: ScopedTelemetry; clock: Clock }): MountedRoute[] {
  return implement(logPatternsRoutes, {
    async listLogPatterns({ query, signal, ...context }) {
      const now = clock.now();
      const window = parseWindow(query, now);
      const lengthNs = window.toNs - window.fromNs;
      const sinceNs = query.since === undefined ? window.fromNs - lengthNs : parseTime(query.since, 'since', now);
      if (sinceNs > window.fromNs) throw fail('WINDOW_INVALID', { reason: 'since has to be before from' });
      const rows = await listShapes(
        telemetry,
        scopeOf(context),
        {
          window,
          sinceNs,
          service: query.service,
          severity: query.severity && severityFloor(query.severity),
          search: query.search,
          slices,
        },
        signal,
      );
      if (rows.length > maxShapes)
        throw fail('QUERY_TOO_EXPENSIVE', {
          reason: `the window has more than ${maxShapes} different shapes of bodies; narrow it, or name a service`,
        });
      const patterns = findPatterns(rows.map(shapeOf));
      const total = patterns.reduce((sum, { count }) => sum + count, 0);
      const shown = patterns.slice(0, query.limit);
      return {
        total,
        patterns: shown.map((pattern) => present(pattern, total)),
        other: {
          patterns: patterns.length - shown.length,
          count: total - shown.reduce((sum, { count }) => sum + count, 0),
        },
        window: { from: formatNs(window.fromNs), to: formatNs(window.toNs) },
        since: formatNs(sinceNs),
        slice_ms: Number(lengthNs / BigInt(slices)) / 1_000_000,
      };
    },
  });
}

function shapeOf(row: ShapeRow): Shape {
  const trend = Array.from({ length: slices }, () => 0);
  for (const [slice, count] of row.trend) trend[slice] = count;
  return {
    hash: row.hash,
    masked: maskBody(row.examples[0] ?? ''),
    count: row.count,
    examples: row.examples,
    firstNs: BigInt(row.first_ns),
    lastNs: BigInt(row.last_ns),
    trend,
    severities: Object.fromEntries(addUp(row.severities.map(([number, count]) => [severityName(number), count]))),
    services: Object.fromEntries(row.services),
    isKnown: Boolean(row.is_known),
  };
}

/** Four severity numbers have one name. */
function addUp(counts: readonly (readonly [string, number])[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
  return sums;
}

function present(pattern: Pattern, total: number) {
  return {
    template: pattern.template,
    count: pattern.count,
    share: total === 0 ? 0 : pattern.count / total,
    severities: pattern.severities,
    services: pattern.services,
    first_seen: formatNs(pattern.firstNs),
    last_seen: formatNs(pattern.lastNs),
    is_new: pattern.isNew,
    trend: pattern.trend,
    examples: pattern.examples,
    shapes: pattern.shapes,
  };
}
