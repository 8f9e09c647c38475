import type { DashboardPanel, DashboardVariable, QueryLanguage, VariableValues } from '@fanion/contract';
import { useRef, useState } from 'react';
import { useMediaQuery } from '../../ui/mantine.ts';
import { Notice } from '../../ui/states.tsx';
import classes from './dashboards.module.css';
import { type Box, inReadingOrder, unfolded, uniqueNames } from './layout.ts';
import { PanelBody } from './panel-body.tsx';
import type { PanelState } from './panel-data.ts';
import { type PanelActions, PanelFrame, RowHeader } from './panel-frame.tsx';
import { type BoxChange, type Drag, GAP, ROW } from './panel-handles.tsx';
import type { DashboardPlace } from './queries.ts';
import { SplitDialog } from './split-picker.tsx';
import { canSplit } from './splits.ts';
import { urlWithValues, withValues } from './variable-search.ts';

interface DashboardGridProps {
  panels: readonly DashboardPanel[];
  states: ReadonlyMap<string, PanelState>;
  place: DashboardPlace;
  definitions: readonly DashboardVariable[];
  values: VariableValues;
  /** Undefined: the dashboard is only looked at. */
  actions: PanelActions | undefined;
  /** Rows whose panels are hidden. */
  folded: ReadonlySet<string>;
  onFold: (id: string) => void;
  onExplore: (query: string, language: QueryLanguage) => void;
  onSplit: ((id: string, flag: string | undefined) => void) | undefined;
}

function heightOf({ type, h }: DashboardPanel) {
  return { height: type === 'row' ? undefined : Math.max(140, h * ROW) };
}

function areaOf({ x, y, w, h }: Box) {
  return { gridColumn: `${x + 1} / span ${Math.min(w, 24 - x)}`, gridRow: `${y + 1} / span ${h}` };
}

/** The panels on 24 columns; one below the other on small screens. */
export function DashboardGrid(props: DashboardGridProps) {
  const { panels, definitions, values, actions, folded, onSplit } = props;
  const grid = useRef<HTMLDivElement>(null);
  const isSmall = useMediaQuery('(max-width: 800px)', false, { getInitialValueInEffect: false });
  const [dragged, setDragged] = useState<{ id: string; change: BoxChange } | null>(null);
  const [splitting, setSplitting] = useState<string | null>(null);
  const split = panels.find(({ id }) => id === splitting);
  const shown = unfolded(
    panels.map((panel) => (panel.type === 'row' ? { ...panel, collapsed: folded.has(panel.id) } : panel)),
  );
  const ordered = inReadingOrder(shown);
  const names = uniqueNames(
    ordered.map(
      (panel) => withValues(panel.title, definitions, { ...values, ...panel.variables }) || 'Panel without a title',
    ),
  );
  const column = () => ((grid.current?.clientWidth ?? 1_200) + GAP) / 24;
  return (
    <div
      ref={grid}
      className={classes.grid}
      data-small={isSmall || undefined}
      data-editing={actions !== undefined || undefined}
    >
      {ordered.map((panel, index) => {
        const box = dragged?.id === panel.id ? { ...panel, ...dragged.change } : panel;
        const style = isSmall ? heightOf(panel) : areaOf(box);
        const drag = actions && {
          column,
          onDrag: (change: BoxChange | null) => setDragged(change === null ? null : { id: panel.id, change }),
          onBox: (change: BoxChange) => actions.onBox(panel.id, change),
        };
        return (
          <GridItem
            key={panel.id}
            grid={props}
            panel={panel}
            name={names[index]}
            style={style}
            drag={drag}
            onSplit={() => setSplitting(panel.id)}
          />
        );
      })}
      {onSplit && (
        <SplitDialog
          panel={split ? { id: split.id, name: split.title || 'Panel without a title', flag: split.split?.flag } : null}
          definitions={definitions}
          onClose={() => setSplitting(null)}
          onSplit={onSplit}
        />
      )}
    </div>
  );
}

/** A panel at its place, or the header of a row. */
function GridItem({
  grid: { states, place, definitions, values, actions, folded, onFold, onExplore, onSplit: canBeSplit },
  panel,
  name,
  style,
  drag,
  onSplit,
}: {
  grid: DashboardGridProps;
  panel: DashboardPanel;
  name: string | undefined;
  style: Record<string, string | number | undefined>;
  drag: Drag | undefined;
  onSplit: () => void;
}) {
  const own = { ...values, ...panel.variables };
  const title = withValues(panel.title, definitions, own);
  const shared = { panel, title, style, drag, actions };
  if (panel.type === 'row') return <RowHeader {...shared} isFolded={folded.has(panel.id)} onFold={onFold} />;
  const state = states.get(panel.id);
  return (
    <PanelFrame
      {...shared}
      name={name ?? title}
      state={state}
      onExplore={onExplore}
      onSplit={canBeSplit && canSplit(panel) && panel.variables === undefined ? onSplit : undefined}
      flag={panel.split && withValues(panel.split.flag, definitions, own)}
      urlOf={(url) => urlWithValues(url, definitions, own)}
    >
      <PanelBody panel={panel} state={state} place={place} onExplore={onExplore} />
    </PanelFrame>
  );
}

/** Names the file of a dashboard that cannot be edited here. */
export function FileNotice({ source }: { source: string }) {
  return (
    <Notice kind="info">
      This dashboard comes from the file <span className="mono">{source}</span> and is changed there. Copy it to change
      it here.
    </Notice>
  );
}
