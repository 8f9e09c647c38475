import { useNavigate } from '@tanstack/react-router';
import { groupsOf, noteOf, sinceOf } from '../../alerting/firing-groups.ts';
import type { Firing } from '../../alerting/use-firing.ts';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { AlertStateLabel, LabelList } from '../alerts/alert-state.tsx';
import classes from './home.module.css';
import { HomePanel, ROWS } from './home-panel.tsx';

/** The rules that fire, with their worst alert. */
export function FiringPanel({ firing: { alerts, error, isPending } }: { firing: Firing }) {
  const scope = useScope();
  const navigate = useNavigate();
  const groups = groupsOf(alerts).slice(0, ROWS);
  return (
    <HomePanel
      title="Firing alerts"
      isPending={isPending}
      more={<ScopeLink to="/w/$ws/$project/alerts">All alerts</ScopeLink>}
    >
      {error ? (
        <ErrorState compact error={error} />
      ) : groups.length === 0 ? (
        <p className={classes.none}>No firing alerts.</p>
      ) : (
        <DataTable
          label="Firing alerts"
          rows={groups}
          rowKey={({ ruleId }) => ruleId}
          onRowClick={({ ruleId, alerts: [first, second] }) =>
            void (first !== undefined && second === undefined
              ? navigate({ to: '/w/$ws/$project/alerts/$id', params: { ...scope, id: first.id } })
              : navigate({ to: '/w/$ws/$project/alerts/rules/$id', params: { ...scope, id: ruleId } }))
          }
          columns={[
            {
              id: 'state',
              header: 'State',
              width: 150,
              cell: ({ alerts: [first] }) => first && <AlertStateLabel state={first.state} />,
            },
            {
              id: 'alert',
              header: 'Alert',
              cell: ({ name, alerts: of, labels }) => (
                <span className={classes.line}>
                  <b>{name}</b>
                  {of.length > 1 && <span className="dim">{of.length}×</span>}
                  <LabelList labels={labels} without={['alertname']} />
                </span>
              ),
            },
            {
              id: 'note',
              header: 'Note',
              width: 90,
              cell: ({ alerts: of }) => (of.every((alert) => noteOf(alert) !== '') && of[0] ? noteOf(of[0]) : ''),
            },
            { id: 'since', header: 'Since', width: 90, ago: ({ alerts: of }) => of.map(sinceOf).toSorted()[0] },
          ]}
        />
      )}
    </HomePanel>
  );
}
