import { useQuery } from '@tanstack/react-query';
import { linkOptions } from '@tanstack/react-router';
import { worstFirst } from '../../alerting/firing-groups.ts';
import { alertInstancesQuery } from '../../alerting/instances.ts';
import { CreateLink } from '../../app/scope-links.tsx';
import { NO_PROJECT, useCan, useScope } from '../../app/session.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { ListTable, Named, QueryLine, Search, useFound } from '../../ui/resource/list-table.tsx';
import { both, Loaded } from '../../ui/resource/loaded.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { RuleState } from './alert-state.tsx';
import { FiringTable } from './firing-table.tsx';
import { InstanceTable } from './instance-table.tsx';
import { type AlertRule, alertRulesQuery } from './queries.ts';
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
  const create = canWrite && <CreateLink to="/w/$ws/$project/alerts/rules/new">Create alert rule</CreateLink>;
  return (
    <Page title="Alerts" actions={create}>
      <Loaded query={both(rules, instances)}>
        {([{ length }]) =>
          length === 0 ? (
            <EmptyState title="No alert rules yet" action={create}>
              A rule runs a query at an interval and fires for each row that meets its condition. Preview it over the
              past before you save it.
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
          )
        }
      </Loaded>
    </Page>
  );
}

function Rules() {
  const scope = useScope();
  const { data = [] } = useQuery(alertRulesQuery(scope.ws, scope.project));
  const page = ({ id }: AlertRule) => linkOptions({ to: '/w/$ws/$project/alerts/rules/$id', params: { ...scope, id } });
  return (
    <ListTable
      title="Rules"
      label="Alert rules"
      actions={<Search label="Search rules" placeholder="Search by name or query" size="xs" w={240} />}
      rows={useFound(data, ({ name, query }) => `${name} ${query}`)}
      rowKey={({ id }) => id}
      opens={page}
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
          sortBy: ({ name }) => name,
          cell: (rule) => (
            <Named page={page(rule)} name={rule.name}>
              <QueryLine>{rule.query}</QueryLine>
            </Named>
          ),
        },
        { id: 'condition', header: 'Condition', width: 220, cell: conditionText },
        { id: 'every', header: 'Every', width: 80, cell: ({ every }) => every },
        { id: 'updated', header: 'Changed', width: 110, ago: ({ updated_at }) => updated_at },
      ]}
    />
  );
}
