import type { DashboardPanel, DashboardVariable, QueryLanguage, VariableValues } from '@fanion/contract';
import {
  IconAlertTriangle,
  IconArrowsMove,
  IconArrowsSplit2,
  IconChevronDown,
  IconChevronRight,
  IconCopy,
  IconDots,
  IconPencil,
  IconRepeat,
  IconTerminal2,
  IconTrash,
} from '@tabler/icons-react';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';
import { ActionIcon, Menu, Tooltip, useMediaQuery } from '../../ui/mantine.ts';
import { Notice } from '../../ui/states.tsx';
import classes from './dashboards.module.css';
import { type Box, inReadingOrder, unfolded, uniqueNames } from './layout.ts';
import { PanelBody } from './panel-body.tsx';
import type { PanelState } from './panel-data.ts';
import type { DashboardPlace } from './queries.ts';
import { SplitDialog } from './split-picker.tsx';
import { canSplit } from './splits.ts';
import { urlWithValues, withValues } from './variable-search.ts';

/** What shows the text of a warning. */
const EVENTS = { hover: true, focus: true, touch: true };

/** Height of a row of the grid and the gap between panels, in pixels. */
const ROW = 34;
const GAP = 8;

export type BoxChange = Partial<Pick<Box, 'x' | 'y' | 'w' | 'h'>>;

export interface PanelActions {
  onBox: (id: string, change: BoxChange) => void;
  onEdit: (id: string) => void;
  onDuplicate: (id: string) => void;
  onRemove: (id: string) => void;
}

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

interface Drag {
  column: () => number;
  onDrag: (change: BoxChange | null) => void;
  onBox: (change: BoxChange) => void;
}

function PanelFrame({
  panel,
  title,
  name,
  state,
  style,
  drag,
  actions,
  onExplore,
  onSplit,
  flag,
  urlOf,
  children,
}: {
  panel: DashboardPanel;
  title: string;
  /** Its title, which no other panel has. */
  name: string;
  state: PanelState | undefined;
  style: Record<string, string | number | undefined>;
  drag: Drag | undefined;
  actions: PanelActions | undefined;
  onExplore: (query: string, language: QueryLanguage) => void;
  onSplit: (() => void) | undefined;
  /** The flag whose variants it shows apart. */
  flag: string | undefined;
  /** The address of a link with the values of variables. */
  urlOf: (url: string) => string;
  children: ReactNode;
}) {
  const query = state?.result?.meta.query;
  const warnings = Array.isArray(state?.result?.meta.warnings) ? state.result.meta.warnings : [];
  return (
    <section className={classes.panel} style={style} aria-label={name} aria-busy={state?.isLoading}>
      <header className={classes.panelHeader}>
        {drag && <Mover name={name} panel={panel} drag={drag} />}
        <Tooltip label={panel.description || title} disabled={title === ''} multiline maw={320}>
          <h2 className="truncate">{title}</h2>
        </Tooltip>
        <Marks panel={panel} flag={flag} warnings={warnings} />
        {panel.links?.map(({ title, url }) => (
          <a key={`${title} ${url}`} href={urlOf(url)} rel="noreferrer noopener" className={classes.link}>
            {title}
          </a>
        ))}
        <PanelMenu
          name={name}
          panel={panel}
          actions={actions}
          onExplore={typeof query === 'string' ? () => onExplore(query, panel.query_language ?? 'oql') : undefined}
          onSplit={onSplit}
        />
      </header>
      {children}
      {drag && <Resizer name={name} panel={panel} drag={drag} />}
    </section>
  );
}

/** What is special about the data of a panel. */
function Marks({
  panel,
  flag,
  warnings,
}: {
  panel: DashboardPanel;
  flag: string | undefined;
  warnings: readonly unknown[];
}) {
  return (
    <>
      {panel.repeat !== undefined && <RepeatMark variable={panel.repeat.variable} />}
      {flag !== undefined && (
        <span className={classes.split} title={`Split by the variants of ${flag}`}>
          <IconArrowsSplit2 size={13} aria-hidden /> {flag}
        </span>
      )}
      {warnings.length > 0 && (
        <Tooltip label={warnings.map(textOf).join(' ')} multiline maw={360} events={EVENTS}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its text must be reachable by keyboard */}
          <span className={classes.warned} role="img" tabIndex={0} aria-label={warnings.map(textOf).join(' ')}>
            <IconAlertTriangle size={15} aria-hidden />
          </span>
        </Tooltip>
      )}
    </>
  );
}

/** Where a panel that repeats is shown once. */
function RepeatMark({ variable }: { variable: string }) {
  return (
    <span className={classes.split} title={`Shown for each value of $${variable}`}>
      <IconRepeat size={13} aria-hidden /> ${variable}
    </span>
  );
}

function textOf(warning: unknown): string {
  if (typeof warning === 'object' && warning !== null && 'message' in warning) return String(warning.message);
  return String(warning);
}

function PanelMenu({
  name,
  panel,
  actions,
  onExplore,
  onSplit,
}: {
  name: string;
  panel: DashboardPanel;
  actions: PanelActions | undefined;
  onExplore?: (() => void) | undefined;
  onSplit?: (() => void) | undefined;
}) {
  if (actions === undefined && onExplore === undefined && onSplit === undefined) return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Actions of ${name}`}>
          <IconDots size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {onExplore && (
          <Menu.Item leftSection={<IconTerminal2 size={14} />} onClick={onExplore}>
            Open in Explore
          </Menu.Item>
        )}
        {onSplit && (
          <Menu.Item leftSection={<IconArrowsSplit2 size={14} />} onClick={onSplit}>
            Split by flag
          </Menu.Item>
        )}
        {actions && (
          <>
            <Menu.Item leftSection={<IconPencil size={14} />} onClick={() => actions.onEdit(panel.id)}>
              Edit
            </Menu.Item>
            <Menu.Item leftSection={<IconCopy size={14} />} onClick={() => actions.onDuplicate(panel.id)}>
              Duplicate
            </Menu.Item>
            <Menu.Item leftSection={<IconTrash size={14} />} onClick={() => actions.onRemove(panel.id)}>
              Remove
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function RowHeader({
  panel,
  title,
  style,
  isFolded,
  onFold,
  drag,
  actions,
}: {
  panel: DashboardPanel;
  title: string;
  style: Record<string, string | number | undefined>;
  isFolded: boolean;
  onFold: (id: string) => void;
  drag: Drag | undefined;
  actions: PanelActions | undefined;
}) {
  const name = title || 'Row';
  return (
    <div className={classes.row} style={style}>
      {drag && <Mover name={name} panel={panel} drag={drag} />}
      <button type="button" aria-expanded={!isFolded} onClick={() => onFold(panel.id)}>
        {isFolded ? <IconChevronRight size={15} /> : <IconChevronDown size={15} />}
        {name}
      </button>
      {panel.repeat !== undefined && <RepeatMark variable={panel.repeat.variable} />}
      <PanelMenu name={name} panel={panel} actions={actions} />
    </div>
  );
}

const arrows: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The handle that moves a panel: by dragging, or with the arrow keys. */
function Mover({ name, panel, drag }: { name: string; panel: DashboardPanel; drag: Drag }) {
  const by = (x: number, y: number) => ({
    x: Math.min(24 - panel.w, Math.max(0, panel.x + x)),
    y: Math.max(0, panel.y + y),
  });
  return (
    <Handle label={`Move ${name}`} className={classes.mover} drag={drag} changed={by}>
      <IconArrowsMove size={14} />
    </Handle>
  );
}

/** The handle that resizes a panel. */
function Resizer({ name, panel, drag }: { name: string; panel: DashboardPanel; drag: Drag }) {
  const by = (x: number, y: number) => ({
    w: Math.min(24 - panel.x, Math.max(1, panel.w + x)),
    h: Math.max(1, panel.h + y),
  });
  return <Handle label={`Resize ${name}`} className={classes.resizer} drag={drag} changed={by} />;
}

function Handle({
  label,
  className,
  drag,
  changed,
  children,
}: {
  label: string;
  className: string | undefined;
  drag: Drag;
  /** The change for so many columns and rows. */
  changed: (columns: number, rows: number) => BoxChange;
  children?: ReactNode;
}) {
  const start = useRef<{ x: number; y: number } | null>(null);
  const at = (event: PointerEvent<HTMLButtonElement>) => {
    const from = start.current ?? { x: event.clientX, y: event.clientY };
    return changed(
      Math.round((event.clientX - from.x) / drag.column()),
      Math.round((event.clientY - from.y) / (ROW + GAP)),
    );
  };
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>) => {
    const arrow = arrows[event.key];
    if (arrow === undefined) return;
    event.preventDefault();
    drag.onBox(changed(arrow[0], arrow[1]));
  };
  return (
    <button
      type="button"
      className={className}
      aria-label={label}
      title={`${label}: drag, or use the arrow keys`}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, y: event.clientY };
      }}
      onPointerMove={(event) => start.current && drag.onDrag(at(event))}
      onPointerUp={(event) => {
        if (start.current) drag.onBox(at(event));
        start.current = null;
        drag.onDrag(null);
      }}
      onPointerCancel={() => {
        start.current = null;
        drag.onDrag(null);
      }}
    >
      {children}
    </button>
  );
}

/** Says where a dashboard comes from that cannot be changed here. */
export function FileNotice({ source }: { source: string }) {
  return (
    <Notice kind="info">
      This dashboard comes from the file <span className="mono">{source}</span> and is changed there. Copy it to change
      it here.
    </Notice>
  );
}
