import { useNavigate } from '@tanstack/react-router';
import type { AlertInstance } from '../../alerting/instances.ts';
import { useScope } from '../../app/session.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { AppLink } from '../../ui/link.tsx';
import { AlertStateLabel, AlertValue, LabelList } from './alert-state.tsx';
import classes from './alerts.module.css';

/** Instances of alert rules; a row opens the instance. */
export function InstanceTable({
  label,
  instances,
  withRule,
}: {
  label: string;
  instances: readonly AlertInstance[];
  /** Whether each row names its rule: for instances of several rules. */
  withRule: boolean;
}) {
  const scope = useScope();
  const navigate = useNavigate();
  const open = (instance: AlertInstance) =>
    void navigate({ to: '/w/$ws/$project/alerts/$id', params: { ...scope, id: instance.id } });
  const labels: Column<AlertInstance> = {
    id: 'labels',
    header: withRule ? 'Alert' : 'Labels',
    cell: (instance) => (
      <span className={classes.name}>
        <AppLink to="/w/$ws/$project/alerts/$id" params={{ ...scope, id: instance.id }}>
          {withRule ? instance.rule_name : 'Instance'}
        </AppLink>
        <LabelList labels={instance.labels} without={['alertname']} />
      </span>
    ),
  };
  return (
    <DataTable
      label={label}
      rows={instances}
      rowKey={(instance) => instance.id}
      onRowClick={open}
      columns={[
        {
          id: 'state',
          header: 'State',
          width: 170,
          sortBy: (instance) => instance.state,
          cell: (instance) => <AlertStateLabel state={instance.state} />,
        },
        labels,
        {
          id: 'value',
          header: 'Value',
          width: 110,
          numeric: true,
          cell: (instance) => <AlertValue rule={instance.rule_id} value={instance.value} />,
        },
        { id: 'since', header: 'Since', width: 130, ago: (instance) => instance.active_since ?? instance.resolved_at },
        {
          id: 'note',
          header: 'Note',
          width: 90,
          cell: (instance) => (instance.flapping ? 'flapping' : ''),
        },
      ]}
    />
  );
}
