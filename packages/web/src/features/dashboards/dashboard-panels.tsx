import type { DashboardModel, QueryLanguage, VariableValues } from '@fanion/contract';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { useScope } from '../../app/session.ts';
import { RecordDock } from '../../telemetry/record-panel.tsx';
import type { TimeRange } from '../../ui/time/time-range.ts';
import { DashboardGrid } from './dashboard-grid.tsx';
import type { PanelState } from './panel-data.ts';
import type { PanelActions } from './panel-frame.tsx';
import type { DashboardPlace } from './queries.ts';

/** The rows that are folded: those that the dashboard folds, until somebody opens them. Copies of rows come later than the page. */
function useFolded(panels: DashboardModel['panels']) {
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const folded = useMemo(
    () =>
      new Set(
        panels.flatMap(({ id, type, collapsed }) =>
          type === 'row' && (collapsed === true) !== turned.has(id) ? [id] : [],
        ),
      ),
    [panels, turned],
  );
  const onFold = (id: string) =>
    setTurned((old) => {
      const next = new Set(old);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  return { folded, onFold };
}

/** The panels of a dashboard. */
export function DashboardPanels({
  model: { panels, variables },
  states,
  place,
  values,
  range,
  actions,
  onSplit,
}: {
  model: Pick<DashboardModel, 'panels' | 'variables'>;
  states: ReadonlyMap<string, PanelState>;
  place: DashboardPlace;
  values: VariableValues;
  range: TimeRange;
  /** Undefined: the dashboard is only looked at. */
  actions?: PanelActions | undefined;
  /** Splits a panel by a flag. Undefined: its data cannot be asked again. */
  onSplit?: ((id: string, flag: string | undefined) => void) | undefined;
}) {
  const scope = useScope();
  const navigate = useNavigate();
  const folds = useFolded(panels);
  const { from, to } = range;
  // Stays the same, so that panels are not drawn again when the data of another one arrives.
  const explore = useCallback(
    (query: string, language: QueryLanguage) =>
      void navigate({
        to: '/w/$ws/$project/explore',
        params: scope,
        search: (old) => ({ env: old.env, from, to, q: query, ...(language === 'promql' && { lang: language }) }),
      }),
    [navigate, scope, from, to],
  );
  return (
    <RecordDock>
      <DashboardGrid
        panels={panels}
        states={states}
        place={place}
        definitions={variables}
        values={values}
        {...folds}
        onExplore={explore}
        actions={actions}
        onSplit={onSplit}
      />
    </RecordDock>
  );
}
