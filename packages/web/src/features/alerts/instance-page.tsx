import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { AppLink, ButtonLink } from '../../ui/link.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { ErrorState, Loading, Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { AlertStateLabel, LabelList, valueText } from './alert-state.tsx';
import classes from './alerts.module.css';
import { Explanation } from './explanation.tsx';
import { type AlertInstanceDetail, alertInstanceQuery, alertRuleQuery } from './queries.ts';

/** One instance of a rule: what it says now, and its timeline. */
export function InstancePage() {
  const scope = useScope();
  const { id } = useParams({ from: '/w/$ws/$project/alerts/$id' });
  const { data: instance, error, refetch } = useQuery(alertInstanceQuery(scope.ws, id));
  return (
    <Page
      title={instance?.rule_name ?? 'Alert'}
      crumbs={
        <AppLink to="/w/$ws/$project/alerts" params={scope}>
          Alerts
        </AppLink>
      }
      subtitle={instance && <AlertStateLabel state={instance.state} />}
      actions={
        instance && (
          <ButtonLink
            variant="default"
            to="/w/$ws/$project/alerts/rules/$id"
            params={{ ...scope, id: instance.rule_id }}
          >
            Open the rule
          </ButtonLink>
        )
      }
    >
      {instance === undefined ? (
        error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading label="Loading the alert" />
        )
      ) : (
        <>
          {instance.flapping && (
            <Notice kind="warning">
              It began or stopped to fire five times within an hour. A longer “for”, or “keep firing for”, would calm it
              down.
            </Notice>
          )}
          <Panel title="Now">
            <dl className={classes.facts}>
              <dt>Value</dt>
              <dd className={classes.big}>{valueText(instance.value)}</dd>
              <dt>Labels</dt>
              <dd>
                <LabelList labels={instance.labels} />
              </dd>
              <dt>Active since</dt>
              <dd>
                <Timestamp value={instance.active_since} />
              </dd>
              <dt>Fired</dt>
              <dd>
                <Timestamp value={instance.fired_at} />
              </dd>
              <dt>Resolved</dt>
              <dd>
                <Timestamp value={instance.resolved_at} />
              </dd>
              <RuleFacts ruleId={instance.rule_id} />
            </dl>
          </Panel>
          <Explanation instanceId={instance.id} />
          <Timeline timeline={instance.timeline} />
        </>
      )}
    </Page>
  );
}

/** What the rule says about what it found: its query, to open in Explore, and its runbook. */
function RuleFacts({ ruleId }: { ruleId: string }) {
  const scope = useScope();
  const { data: rule } = useQuery(alertRuleQuery(scope.ws, ruleId));
  if (rule === undefined) return null;
  return (
    <>
      <dt>Query</dt>
      <dd>
        <AppLink className="mono" to="/w/$ws/$project/explore" params={scope} search={{ q: rule.query }}>
          {rule.query}
        </AppLink>
      </dd>
      {rule.runbook_url !== null && (
        <>
          <dt>Runbook</dt>
          <dd>
            <a href={rule.runbook_url} rel="noreferrer noopener" target="_blank">
              {rule.runbook_url}
            </a>
          </dd>
        </>
      )}
    </>
  );
}

function Timeline({ timeline }: { timeline: AlertInstanceDetail['timeline'] }) {
  return (
    <Panel title="Timeline" tight>
      <DataTable
        label="Timeline"
        rows={timeline}
        rowKey={({ at, to }, index) => `${at} ${to} ${index}`}
        columns={[
          { id: 'at', header: 'Time', width: 190, cell: ({ at }) => <Timestamp value={at} /> },
          { id: 'to', header: 'State', width: 170, cell: ({ to }) => <AlertStateLabel state={to} /> },
          { id: 'value', header: 'Value', width: 120, numeric: true, cell: ({ value }) => valueText(value) },
          { id: 'reason', header: 'Reason', cell: ({ reason }) => reason?.replaceAll('_', ' ') ?? '' },
        ]}
      />
    </Panel>
  );
}
