import { serviceMapRoutes } from '@fanion/contract';
import { implement, type MountedRoute } from '../../../http/context.ts';
import type { ClickHouse } from '../../../platform/clickhouse/index.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { JobKind } from '../../../platform/jobs/index.ts';
import { type ScopedTelemetry, scopeOf, type TelemetryScope } from '../../../platform/scoped-telemetry.ts';
import { formatNs, parseWindow, type Window } from '../../../platform/time-window.ts';
import type { Feature } from '../../feature.ts';
import { deriveDue } from './derive.ts';
import { around, candidatesOf, chooseLive, mapOf, maxLateMinutes, nodeId, untilNow, wholeMinutes } from './rules.ts';
import { countLive, findDerivedTo, listEdges, listLateOf } from './store.ts';

export * as peers from './peer-store.ts';

type Store = Pick<ClickHouse, 'queryRows' | 'command'>;

/** The service map: which service calls which. */
export const serviceMapFeature = {
  name: 'telemetry/service-map',
  routes: handlers,
  tenantTables: [{ name: 'service_edges', isBefore: () => 'minute < toStartOfMinute(toDateTime({before:UInt32}))' }],
  jobs: ({ clickhouse }: { clickhouse: Store }) => [serviceMapJob(clickhouse)],
} satisfies Feature;

function handlers({ telemetry, clock }: { telemetry: ScopedTelemetry; clock: Clock }): MountedRoute[] {
  return implement(serviceMapRoutes, {
    async getServiceMap({ query, signal, ...context }) {
      const asked = parseWindow(query, clock.now());
      const { window, missing, map } = await readServiceMap({ telemetry, clock }, scopeOf(context), asked, signal);
      return {
        window: shown(window),
        missing: missing === undefined ? null : shown(missing),
        ...(query.service === undefined ? map : around(map, nodeId('service', query.service))),
      };
    },
  });
}

/** The service map of a window of whole minutes, and the part of it that could not be derived. */
export async function readServiceMap(
  { telemetry, clock }: { telemetry: ScopedTelemetry; clock: Clock },
  scope: TelemetryScope,
  asked: Window,
  signal: AbortSignal,
) {
  const nowMs = clock.now();
  const window = untilNow(wholeMinutes(asked.fromNs, asked.toNs), nowMs / 1000);
  const [derivedTo, late] = await Promise.all([
    findDerivedTo((statement) => telemetry.rows(scope, statement, {}, signal)),
    listLateOf(telemetry, scope, window, maxLateMinutes + 1, signal),
  ]);
  const candidates = candidatesOf(window, derivedTo, late);
  const spans = await countLive(telemetry, scope, [...candidates.recent, ...candidates.late], signal);
  const { live, missing } = chooseLive(candidates, (minute) => spans.get(minute) ?? 0);
  const rows = await listEdges(telemetry, scope, window, live, signal);
  const seconds = Math.max(1, Math.min(window.to, nowMs / 1000) - window.from);
  return { window, missing, map: mapOf(rows, seconds) };
}

/**
 * Derives edges with a delay of a minute, and again for minutes that received spans since; on one replica at a time.
 */
export function serviceMapJob(clickhouse: Store): JobKind {
  return {
    kind: 'service_map.derive',
    everyMs: 60_000,
    async run(run) {
      await deriveDue(clickhouse, run);
      await run.finish();
    },
  };
}

function shown({ from, to }: { from: number; to: number }) {
  return { from: formatNs(BigInt(from) * 1_000_000_000n), to: formatNs(BigInt(to) * 1_000_000_000n) };
}
