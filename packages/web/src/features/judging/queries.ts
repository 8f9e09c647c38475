import {
  backtestGuardedRelease,
  getGuardedRelease,
  getRollout,
  listGuardedEvents,
  listGuardedReleases,
  listMetrics,
  type RouteResponse,
} from '@fanion/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { listQuery, routeQuery } from '../../api/queries.ts';
import { invalidate } from '../../app/query-client.ts';

export type Rollout = RouteResponse<typeof getRollout>;
export type GuardedRelease = RouteResponse<typeof getGuardedRelease>;
export type GuardedEvent = RouteResponse<typeof listGuardedEvents>[number];
export type Backtest = RouteResponse<typeof backtestGuardedRelease>;
export type Metric = RouteResponse<typeof listMetrics>[number];

/** A flag in an environment of a project, by keys. */
export interface FlagPlace {
  readonly ws: string;
  readonly p: string;
  readonly e: string;
  readonly key: string;
}

/** Looks are every ten seconds. */
const LOOK_POLL = 5_000;

export const rolloutQuery = (params: FlagPlace, range: { from: string; to: string }, metric: string | null) =>
  routeQuery(getRollout, { params, query: { ...range, ...(metric !== null && { metric }) } });

export const metricsQuery = (ws: string, p: string) => listQuery(listMetrics, { params: { ws, p } });

export const isActive = ({ state }: Pick<GuardedRelease, 'state'>) => state === 'armed' || state === 'monitoring';

/** The guarded release of a flag, or null. */
export const guardedQuery = (params: FlagPlace) =>
  queryOptions({
    queryKey: [getGuardedRelease.id, params] as const,
    // Listed, since most flags have none, which is no error.
    queryFn: async ({ signal }): Promise<GuardedRelease | null> => {
      const { ws, p, e: environment, key: flag } = params;
      return (
        (await call(listGuardedReleases, { params: { ws, p }, query: { environment, flag }, signal })).data[0] ?? null
      );
    },
    refetchInterval: ({ state: { data } }) => (data != null && isActive(data) ? LOOK_POLL : false),
  });

/** Its latest looks and decisions, newest first. */
export const guardedEventsQuery = (params: FlagPlace, isLive: boolean) => ({
  ...routeQuery(listGuardedEvents, { params, query: { limit: '300' } }),
  refetchInterval: isLive ? LOOK_POLL : (false as const),
});

/** The guards of one version of the release, replayed over the past. It reads a month of telemetry, so it is never repeated unasked. */
export const backtestQuery = (params: FlagPlace, version: number) =>
  queryOptions({
    queryKey: [backtestGuardedRelease.id, params, version] as const,
    queryFn: async ({ signal }): Promise<Backtest> => (await call(backtestGuardedRelease, { params, signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

export const refreshGuarded = () => invalidate(getGuardedRelease, listGuardedEvents);
