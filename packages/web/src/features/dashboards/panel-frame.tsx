import type { DashboardPanel, QueryLanguage } from '@fanion/contract';
import {
  IconAlertTriangle,
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
import type { ReactNode } from 'react';
import { ActionIcon, Menu, Tooltip } from '../../ui/mantine.ts';
import classes from './dashboards.module.css';
import type { PanelState } from './panel-data.ts';
import { type BoxChange, type Drag, Mover, Resizer } from './panel-handles.tsx';

/** What shows the text of a warning. */
const EVENTS = { hover: true, focus: true, touch: true };

export interface PanelActions {
  onBox: (id: string, change: BoxChange) => void;
  onEdit: (id: string) => void;
  onDuplicate: (id: string) => void;
  onRemove: (id: string) => void;
}

interface Shared {
  panel: DashboardPanel;
  title: string;
  style: Record<string, string | number | undefined>;
  drag: Drag | undefined;
  actions: PanelActions | undefined;
}

/** A panel with its title, marks and menu. */
export function PanelFrame({
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
}: Shared & {
  /** Its title, which no other panel has. */
  name: string;
  state: PanelState | undefined;
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

export function RowHeader({
  panel,
  title,
  style,
  isFolded,
  onFold,
  drag,
  actions,
}: Shared & { isFolded: boolean; onFold: (id: string) => void }) {
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
