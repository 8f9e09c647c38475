import { removeAlertRule, updateAlertRule } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { alertInstancesQuery } from '../../alerting/instances.ts';
import { call } from '../../api/client.ts';
import { useDelete } from '../../app/confirmed.ts';
import { DraftOf } from '../../app/draft-of.tsx';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useCan, useScope } from '../../app/session.ts';
import { countOf } from '../../ui/format/index.ts';
import { Button, Switch } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { saveOver } from '../../ui/stale.ts';
import { Notice } from '../../ui/states.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { RuleState } from './alert-state.tsx';
import { InstanceTable } from './instance-table.tsx';
import { type AlertRule, alertRuleQuery, refreshAlerts } from './queries.ts';
import { conditionText, draftOf, patchOf } from './rule-draft.ts';
import { RuleForm } from './rule-form.tsx';

/** One rule: its instances, and the rule to edit. */
export function RulePage() {
  const scope = useScope();
  const { id } = useParams({ from: '/w/$ws/$project/alerts/rules/$id' });
  const canWrite = useCan('alerts:write');
  const { data: rule, error, refetch } = useQuery(alertRuleQuery(scope.ws, id));
  return (
    <Page
      title={rule?.name ?? 'Alert rule'}
      crumbs={<ScopeLink to="/w/$ws/$project/alerts">Alerts</ScopeLink>}
      subtitle={rule && <RuleState rule={rule} />}
      actions={rule && canWrite && rule.burn === undefined && <Actions rule={rule} />}
    >
      <Loaded query={{ data: rule, error, refetch }} label="Loading the alert rule">
        {(rule) =>
          rule.burn !== undefined ? (
            <>
              <Notice kind="info">An SLO keeps this rule: it fires at {conditionText(rule)}.</Notice>
              <Instances rule={rule} />
            </>
          ) : (
            <DraftOf document={rule}>
              {(base) => (
                <RuleForm
                  initial={draftOf(base)}
                  environment={base.environment ?? undefined}
                  action="Save"
                  onSave={
                    canWrite
                      ? async (draft) => {
                          const written = call(updateAlertRule, {
                            params: { ws: scope.ws, id: base.id },
                            body: patchOf(draft, base),
                          });
                          await saveOver(base, written);
                          toastDone(`${draft.name} is saved`);
                          await refreshAlerts();
                        }
                      : undefined
                  }
                >
                  <Instances rule={rule} />
                </RuleForm>
              )}
            </DraftOf>
          )
        }
      </Loaded>
    </Page>
  );
}

function Instances({ rule }: { rule: AlertRule }) {
  const { ws } = useScope();
  const { data = [] } = useQuery(alertInstancesQuery(ws, rule.id));
  return (
    <>
      {rule.health.state === 'failing' && <Notice kind="error">The last evaluation failed: {rule.health.error}</Notice>}
      {rule.health.state === 'delayed' && (
        <Notice kind="warning">
          Telemetry was received that is not stored yet. The rule fires meanwhile, but resolves nothing.
        </Notice>
      )}
      {rule.health.missed > 0 && (
        <Notice kind="warning">
          {countOf(rule.health.missed, 'evaluation')} were skipped, because no server ran them in time.
        </Notice>
      )}
      <Panel title="Instances" tight={data.length > 0}>
        {data.length === 0 ? (
          <span className="dim">No instance is pending or firing, and none has resolved within a day.</span>
        ) : (
          <InstanceTable label="Instances" instances={data} withRule={false} />
        )}
      </Panel>
    </>
  );
}

function Actions({ rule }: { rule: AlertRule }) {
  const scope = useScope();
  const navigate = useNavigate();
  const deleteIt = useDelete();
  const setEnabled = async (enabled: boolean) => {
    try {
      await call(updateAlertRule, {
        params: { ws: scope.ws, id: rule.id },
        body: { enabled, version: rule.version },
      });
      toastDone(`${rule.name} is ${enabled ? 'on' : 'off'}`);
    } catch (error) {
      toastError(error);
    }
    await refreshAlerts();
  };
  const remove = () =>
    deleteIt({
      name: rule.name,
      body: 'Deletes the rule with its instances and their timelines. What fires is not reported as resolved.',
      action: 'Delete alert rule',
      run: () => call(removeAlertRule, { params: { ws: scope.ws, id: rule.id } }),
      leave: () => navigate({ to: '/w/$ws/$project/alerts', params: scope }),
      queryKey: alertRuleQuery(scope.ws, rule.id).queryKey,
      refresh: refreshAlerts,
    });
  return (
    <>
      <Switch label="On" checked={rule.enabled} onChange={(event) => void setEnabled(event.currentTarget.checked)} />
      <Button variant="default" onClick={() => void remove()}>
        Delete
      </Button>
    </>
  );
}
