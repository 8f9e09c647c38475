import { listAnnotations } from '@fanion/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { createContext, useContext, useMemo } from 'react';
import { routeQuery } from '../../api/queries.ts';
import type { Mark } from '../../ui/chart/options.ts';
import type { TimeRange } from '../../ui/time/time-range.ts';
import type { DashboardPlace } from './queries.ts';

/** More would hide the charts. */
const MOST = 25;
const LONGEST = 28;

/** What happened in the window, to mark on every time chart of a dashboard. */
export function useMarks({ ws, project, environment }: DashboardPlace, range: TimeRange): readonly Mark[] {
  const { data } = useQuery({
    ...routeQuery(listAnnotations, {
      params: { ws },
      query: {
        ...range,
        limit: MOST,
        ...(project !== undefined && { project }),
        ...(environment !== undefined && { environment }),
      },
    }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  return useMemo(
    () =>
      (data ?? []).map(({ time, text }) => ({
        time: Date.parse(time),
        label: text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text,
      })),
    [data],
  );
}

/** The marks of the dashboard around a panel. */
export const Marks = createContext<readonly Mark[]>([]);
export const useDashboardMarks = () => useContext(Marks);
