import type { Dashboard, DashboardModel } from '@fanion/contract';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useScope } from '../../app/session.ts';
import { useEnvironment, useTimeRange } from '../../app/time-range.ts';
import { usePanelData } from './panel-data.ts';
import { secondsOf, useRound } from './refresh.ts';
import { parseSplits, withSplits } from './splits.ts';
import { useRepeated } from './use-repeated.ts';
import { parseValues } from './variable-search.ts';

/** The panels as the draft and the address have them, and their data. */
export function usePanels(
  dashboard: Dashboard,
  { panels: saved, variables, time }: DashboardModel,
  isEditing: boolean,
) {
  const { ws } = useScope();
  const search = useSearch({ from: '/w/$ws/$project/dashboards/$id' });
  const environment = useEnvironment();
  const { range } = useTimeRange();
  // What a reader splits is part of the address; in edit mode a split is part of the dashboard.
  const panels = useMemo(
    () => (isEditing ? saved : withSplits(saved, parseSplits(search.split))),
    [isEditing, saved, search.split],
  );
  const values = useMemo(() => parseValues(search.v), [search.v]);
  const refresh = search.refresh ?? time.refresh;
  const seconds = secondsOf(refresh);
  const round = useRound(dashboard.id, seconds);
  const place = useMemo(
    () => ({
      ws,
      project: dashboard.project ?? undefined,
      environment: environment ?? dashboard.environment ?? undefined,
    }),
    [ws, dashboard.project, dashboard.environment, environment],
  );
  const repeated = useRepeated(panels, variables, values, range, place);
  // In edit mode each panel is shown once.
  const shown = isEditing ? panels : repeated;
  const states = usePanelData({
    place,
    panels: shown,
    definitions: variables,
    values,
    range,
    round,
    maxAge: seconds ?? (round === 0 ? undefined : 0),
  });
  return { panels, shown, states, values, range, place, refresh };
}
