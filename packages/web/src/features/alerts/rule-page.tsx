import { removeAlertRule, updateAlertRule } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { alertInstancesQuery } from '../../alerting/instances.ts';
import { call } from '../../api/client.ts';
import { DraftOf } from '../../app/draft-of.tsx';
import { DeleteAndLeave, OnSwitch } from '../../app/resource-actions.tsx';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useCan, useScope } from '../../app/session.ts';
import { countOf } from '../../ui/format/index.ts';
import { Panel } from '../../ui/page.tsx';
import { ResourcePage } from '../../ui/resource/resource-page.tsx';
import { saveOver } from '../../ui/stale.ts';
import { Notice } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
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
  return (
    <ResourcePage
      query={useQuery(alertRuleQuery(scope.ws, id))}
      what="alert rule"
      title="Alert rule"
      crumbs={<ScopeLink to="/w/$ws/$project/alerts">Alerts</ScopeLink>}
      subtitle={(rule) => <RuleState rule={rule} />}
      actions={(rule) => canWrite && rule.burn === undefined && <Actions rule={rule} />}
    >
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
    </ResourcePage>
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
  const params = { ws: scope.ws, id: rule.id };
  return (
    <>
      <OnSwitch
        rule={rule}
        save={(enabled) =>
          call(updateAlertRule, { params, body: { enabled, version: rule.version } }).finally(refreshAlerts)
        }
      />
      <DeleteAndLeave
        name={rule.name}
        body="Deletes the rule with its instances and their timelines. What fires is not reported as resolved."
        action="Delete alert rule"
        run={() => call(removeAlertRule, { params })}
        list="/w/$ws/$project/alerts"
        queryKey={alertRuleQuery(scope.ws, rule.id).queryKey}
        refresh={refreshAlerts}
      />
    </>
  );
}
