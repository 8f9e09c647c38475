import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { worstFirst } from '../../alerting/firing-groups.ts';
import { alertInstancesQuery } from '../../alerting/instances.ts';
import { SearchBox } from '../../app/search-box.tsx';
import { NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { AppLink, ButtonLink } from '../../ui/link.tsx';

import { Page, Panel } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { RuleState } from './alert-state.tsx';
import classes from './alerts.module.css';
import { FiringTable } from './firing-table.tsx';
import { InstanceTable } from './instance-table.tsx';
import { alertRulesQuery } from './queries.ts';
import { conditionText } from './rule-draft.ts';

/** What fires now, what is about to, and the rules. */
export function AlertsPage() {
  const scope = useScope();
  const canWrite = useCan('alerts:write');
  const enabled = scope.project !== NO_PROJECT;
  const rules = useQuery({ ...alertRulesQuery(scope.ws, scope.project), enabled });
  const instances = useQuery({ ...alertInstancesQuery(scope.ws), enabled });
  const known = new Set((rules.data ?? []).map(({ id }) => id));
  const current = worstFirst((instances.data ?? []).filter(({ rule_id }) => known.has(rule_id)));
  const active = current.filter(({ state }) => state !== 'resolved');
  const create = canWrite && (
    <ButtonLink to="/w/$ws/$project/alerts/rules/new" params={scope} leftSection={<IconPlus size={15} />}>
      Create alert rule
    </ButtonLink>
  );
  const error = rules.error ?? instances.error;
  return (
    <Page title="Alerts" actions={create}>
      {error ? (
        <ErrorState error={error} onRetry={() => void Promise.all([rules.refetch(), instances.refetch()])} />
      ) : rules.data === undefined || instances.data === undefined ? (
        <Loading />
      ) : rules.data.length === 0 ? (
        <EmptyState title="No alert rules yet" action={create}>
          A rule runs a query at an interval and fires for each row that meets its condition. Preview it over the past
          before you save it.
        </EmptyState>
      ) : (
        <>
          {active.length === 0 ? (
            <Panel title="Nothing is firing">
              <span className="dim">All instances of all rules of this project are below their thresholds.</span>
            </Panel>
          ) : (
            <FiringTable alerts={active} />
          )}
          {current.length > active.length && (
            <Panel title="Resolved within a day" tight>
              <InstanceTable
                label="Resolved alerts"
                instances={current.filter(({ state }) => state === 'resolved')}
                withRule
              />
            </Panel>
          )}
          <Rules />
        </>
      )}
    </Page>
  );
}

function Rules() {
  const scope = useScope();
  const { q = '' } = useSearch({ from: '/w/$ws/$project/alerts' });
  const navigate = useNavigate();
  const { data = [] } = useQuery(alertRulesQuery(scope.ws, scope.project));
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = data.filter(({ name, query }) => {
    const text = `${name} ${query}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <Panel
      title="Rules"
      tight
      actions={<SearchBox label="Search rules" placeholder="Search by name or query" size="xs" w={240} value={q} />}
    >
      <DataTable
        label="Alert rules"
        rows={shown}
        rowKey={(rule) => rule.id}
        onRowClick={(rule) =>
          void navigate({ to: '/w/$ws/$project/alerts/rules/$id', params: { ...scope, id: rule.id } })
        }
        columns={[
          {
            id: 'state',
            header: 'State',
            width: 150,
            sortBy: (rule) => (rule.enabled ? -rule.firing : 1),
            cell: (rule) => <RuleState rule={rule} />,
          },
          {
            id: 'name',
            header: 'Rule',
            sortBy: (rule) => rule.name,
            cell: (rule) => (
              <span className={classes.name}>
                <AppLink to="/w/$ws/$project/alerts/rules/$id" params={{ ...scope, id: rule.id }}>
                  {rule.name}
                </AppLink>
                <span className={`${classes.query} truncate`} title={rule.query}>
                  {rule.query}
                </span>
              </span>
            ),
          },
          { id: 'condition', header: 'Condition', width: 220, cell: (rule) => conditionText(rule) },
          { id: 'every', header: 'Every', width: 80, cell: (rule) => rule.every },
          {
            id: 'updated',
            header: 'Changed',
            width: 110,
            sortBy: (rule) => rule.updated_at,
            cell: (rule) => <Timestamp value={rule.updated_at} ago />,
          },
        ]}
      />
    </Panel>
  );
}
