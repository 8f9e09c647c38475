import { IconBellOff, IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type FiringGroup, firstToSilence, groupsOf, noteOf, sinceOf } from '../../alerting/firing-groups.ts';
import { type AlertInstance, isFiring } from '../../alerting/instances.ts';
import { useCan, useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { countOf } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { ActionIcon, Kbd, useHotkeys } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { SilenceDialog, type SilenceTarget } from '../silences/silence-dialog.tsx';
import { AlertStateLabel, AlertValue, LabelList } from './alert-state.tsx';
import classes from './alerts.module.css';
import { causeOf } from './cause.ts';
import { alertExplanationQuery } from './queries.ts';

/** A rule with several alerts, or one alert. */
type Row = { readonly explained: boolean } & (
  | { readonly kind: 'group'; readonly group: FiringGroup; readonly isOpen: boolean }
  | { readonly kind: 'alert'; readonly alert: AlertInstance; readonly isInside: boolean }
);

/** Groups whose cause is looked for: each costs queries. */
const EXPLAINED = 5;

/** What fires and what is about to, by rule. `s` silences the row that has the focus, or else the first. */
export function FiringTable({ alerts }: { alerts: readonly AlertInstance[] }) {
  const scope = useScope();
  const navigate = useNavigate();
  const canWrite = useCan('alerts:write');
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [target, setTarget] = useState<SilenceTarget | null>(null);
  const groups = groupsOf(alerts);
  const silence = (next: SilenceTarget | undefined) => {
    // A key that is pressed in another dialog is not meant for the page below it.
    if (!canWrite || next === undefined || document.querySelector('[role=dialog]') !== null) return;
    setTarget(next);
  };
  useHotkeys([['s', () => silence(firstToSilence(groups))]]);
  const toggle = ({ ruleId }: FiringGroup) =>
    setOpen((old) => new Set(old.has(ruleId) ? [...old].filter((id) => id !== ruleId) : [...old, ruleId]));
  const act = (row: Row) => {
    if (row.kind === 'group') toggle(row.group);
    else void navigate({ to: '/w/$ws/$project/alerts/$id', params: { ...scope, id: row.alert.id } });
  };
  return (
    <Panel
      title="Firing and pending"
      tight
      actions={
        canWrite && (
          <span className="dim">
            <Kbd>s</Kbd> silences
          </span>
        )
      }
    >
      <DataTable
        label="Firing and pending alerts"
        rows={rowsOf(groups, open)}
        rowKey={(row) => (row.kind === 'group' ? row.group.ruleId : row.alert.id)}
        onRowClick={act}
        rowShortcuts={{ s: (row) => silence(targetOf(row)) }}
        columns={[
          { id: 'state', header: 'State', width: 160, cell: (row) => <State row={row} /> },
          { id: 'alert', header: 'Alert', cell: (row) => <Name row={row} /> },
          { id: 'value', header: 'Value', width: 110, numeric: true, cell: (row) => <ShownValue row={row} /> },
          {
            id: 'since',
            header: 'Since',
            width: 110,
            ago: (row) => (row.kind === 'group' ? oldest(row.group) : sinceOf(row.alert)),
          },
          { id: 'note', header: 'Note', width: 130, cell: noteOfRow },
          {
            id: 'silence',
            header: <span className="visually-hidden">Actions</span>,
            width: 56,
            cell: (row) => canWrite && <SilenceButton target={targetOf(row)} onSilence={silence} />,
          },
        ]}
      />
      <SilenceDialog target={target} onClose={() => setTarget(null)} />
    </Panel>
  );
}

/** A rule with several alerts is one row, and its alerts follow while it is open. */
function rowsOf(groups: readonly FiringGroup[], open: ReadonlySet<string>): Row[] {
  return groups.flatMap((group, index): Row[] => {
    const alone = group.alerts.length === 1;
    const isOpen = open.has(group.ruleId);
    const explained = index < EXPLAINED;
    const inside = group.alerts.map(
      (alert): Row => ({ kind: 'alert', alert, isInside: !alone, explained: explained && alone }),
    );
    return alone ? inside : [{ kind: 'group', group, isOpen, explained }, ...(isOpen ? inside : [])];
  });
}

function SilenceButton({ target, onSilence }: { target: SilenceTarget; onSilence: (target: SilenceTarget) => void }) {
  return (
    <ActionIcon
      aria-label={`Silence ${target.name}`}
      onClick={(event) => {
        event.stopPropagation();
        onSilence(target);
      }}
    >
      <IconBellOff size={15} stroke={1.6} />
    </ActionIcon>
  );
}

function targetOf(row: Row): SilenceTarget {
  if (row.kind === 'alert') return { name: row.alert.rule_name, labels: row.alert.labels };
  const { name, alerts, labels } = row.group;
  return { name: `${name} (${countOf(alerts.length, 'alert')})`, labels };
}

function State({ row }: { row: Row }) {
  const state = row.kind === 'group' ? row.group.alerts[0]?.state : row.alert.state;
  return state === undefined ? null : <AlertStateLabel state={state} />;
}

function Name({ row }: { row: Row }) {
  const scope = useScope();
  if (row.kind === 'alert') {
    const { id, rule_name, labels } = row.alert;
    return (
      <span className={classes.name} data-inside={row.isInside || undefined}>
        <AppLink to="/w/$ws/$project/alerts/$id" params={{ ...scope, id }}>
          {rule_name}
        </AppLink>
        <LabelList labels={labels} without={['alertname']} />
        {row.explained && <Cause alert={row.alert} />}
      </span>
    );
  }
  const { name, alerts, labels } = row.group;
  const Icon = row.isOpen ? IconChevronDown : IconChevronRight;
  return (
    <span className={classes.name}>
      <span className={classes.group}>
        <Icon size={14} stroke={1.8} aria-hidden />
        <b>{name}</b>
        <span className="dim">{countOf(alerts.length, 'alert')}</span>
        <span className="visually-hidden">{row.isOpen ? 'expanded' : 'collapsed'}</span>
      </span>
      <LabelList labels={labels} without={['alertname']} />
      {row.explained && alerts[0] && <Cause alert={alerts[0]} />}
    </span>
  );
}

/** What stands out about an alert that fires; nothing while it is looked for, or if nothing does. */
function Cause({ alert }: { alert: AlertInstance }) {
  const { ws } = useScope();
  const canQuery = useCan('telemetry:query');
  const { data } = useQuery({
    ...alertExplanationQuery(ws, alert.id),
    enabled: canQuery && isFiring(alert),
    // It is about the time before it fired.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const cause = data && causeOf(data);
  return cause ? <span className="dim">{cause}</span> : null;
}

function ShownValue({ row }: { row: Row }) {
  return row.kind === 'alert' && <AlertValue rule={row.alert.rule_id} value={row.alert.value} />;
}

function oldest({ alerts }: FiringGroup): string {
  return alerts.map(sinceOf).toSorted()[0] ?? '';
}

/** Of a group: how many of its alerts are held back. */
function noteOfRow(row: Row): string {
  if (row.kind === 'alert') return noteOf(row.alert);
  const { alerts } = row.group;
  const silenced = alerts.filter(({ silenced_by }) => silenced_by.length > 0).length;
  return silenced === 0 ? '' : silenced === alerts.length ? 'silenced' : `${silenced} silenced`;
}
