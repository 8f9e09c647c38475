import { IconBellOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { isFiring } from '../../alerting/instances.ts';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useCan, useScope } from '../../app/session.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { countOf } from '../../ui/format/index.ts';
import { AppLink, ButtonLink } from '../../ui/link.tsx';
import { Button, useHotkeys } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { SilenceDialog, type SilenceTarget } from '../silences/silence-dialog.tsx';
import { AlertStateLabel, AlertValue, LabelList } from './alert-state.tsx';
import classes from './alerts.module.css';
import { Deliveries } from './deliveries.tsx';
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
      crumbs={<ScopeLink to="/w/$ws/$project/alerts">Alerts</ScopeLink>}
      subtitle={instance && <AlertStateLabel state={instance.state} />}
      actions={
        instance && (
          <>
            {isFiring(instance) && <SilenceButton instance={instance} />}
            <ButtonLink
              variant="default"
              to="/w/$ws/$project/alerts/rules/$id"
              params={{ ...scope, id: instance.rule_id }}
            >
              Open the rule
            </ButtonLink>
          </>
        )
      }
    >
      <Loaded query={{ data: instance, error, refetch }} label="Loading the alert">
        {(instance) => (
          <>
            {instance.flapping && (
              <Notice kind="warning">
                It began or stopped to fire five times within an hour. A longer “for”, or “keep firing for”, would calm
                it down.
              </Notice>
            )}
            <HeldBack instance={instance} />
            <Now instance={instance} />
            <Explanation instance={instance} />
            <Deliveries deliveries={instance.deliveries} />
            <Timeline rule={instance.rule_id} timeline={instance.timeline} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Now({ instance }: { instance: AlertInstanceDetail }) {
  const { rule_id, value, labels, active_since, fired_at, resolved_at } = instance;
  return (
    <Panel title="Now">
      <Facts>
        <Fact name="Value" className={classes.big}>
          <AlertValue rule={rule_id} value={value} />
        </Fact>
        <Fact name="Labels">
          <LabelList labels={labels} />
        </Fact>
        <Fact name="Active since">
          <Timestamp value={active_since} />
        </Fact>
        <Fact name="Fired">
          <Timestamp value={fired_at} />
        </Fact>
        <Fact name="Resolved">
          <Timestamp value={resolved_at} />
        </Fact>
        <RuleFacts ruleId={rule_id} />
      </Facts>
    </Panel>
  );
}

/** Silences the alert; so does `s`. */
function SilenceButton({ instance: { rule_name, labels } }: { instance: AlertInstanceDetail }) {
  const canWrite = useCan('alerts:write');
  const [target, setTarget] = useState<SilenceTarget | null>(null);
  const silence = () => {
    if (canWrite && document.querySelector('[role=dialog]') === null) setTarget({ name: rule_name, labels });
  };
  useHotkeys([['s', silence]]);
  if (!canWrite) return null;
  return (
    <>
      <Button variant="default" leftSection={<IconBellOff size={15} stroke={1.6} />} onClick={silence}>
        Silence
      </Button>
      <SilenceDialog target={target} onClose={() => setTarget(null)} />
    </>
  );
}

/** Why it is not notified at the moment. */
function HeldBack({ instance: { silenced_by, inhibited_by } }: { instance: AlertInstanceDetail }) {
  const scope = useScope();
  return (
    <>
      {silenced_by.length > 0 && (
        <Notice kind="info">
          It is not notified: {countOf(silenced_by.length, 'silence')} {silenced_by.length === 1 ? 'matches' : 'match'}{' '}
          it.{' '}
          <AppLink className={classes.link} to="/w/$ws/$project/silences" params={scope}>
            See the silences
          </AppLink>
        </Notice>
      )}
      {inhibited_by.length > 0 && (
        <Notice kind="info">
          It is not notified while{' '}
          {inhibited_by.map((id, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <AppLink className={classes.link} to="/w/$ws/$project/alerts/$id" params={{ ...scope, id }}>
                {inhibited_by.length === 1 ? 'another alert' : `alert ${index + 1}`}
              </AppLink>
            </span>
          ))}{' '}
          {inhibited_by.length === 1 ? 'fires' : 'fire'}.
        </Notice>
      )}
    </>
  );
}

/** What the rule says about what it found: its query, to open in Explore, and its runbook. */
function RuleFacts({ ruleId }: { ruleId: string }) {
  const scope = useScope();
  const { data: rule } = useQuery(alertRuleQuery(scope.ws, ruleId));
  if (rule === undefined) return null;
  return (
    <>
      <Fact name="Query">
        <AppLink
          className="mono"
          to="/w/$ws/$project/explore"
          params={scope}
          search={{ q: rule.query, ...(rule.query_language === 'promql' && { lang: rule.query_language }) }}
        >
          {rule.query}
        </AppLink>
      </Fact>
      {rule.runbook_url !== null && (
        <Fact name="Runbook">
          <a href={rule.runbook_url} rel="noreferrer noopener" target="_blank">
            {rule.runbook_url}
          </a>
        </Fact>
      )}
    </>
  );
}

function Timeline({ rule, timeline }: { rule: string; timeline: AlertInstanceDetail['timeline'] }) {
  return (
    <Panel title="Timeline" tight>
      <DataTable
        label="Timeline"
        rows={timeline}
        rowKey={({ at, to }, index) => `${at} ${to} ${index}`}
        columns={[
          { id: 'at', header: 'Time', width: 190, cell: ({ at }) => <Timestamp value={at} /> },
          { id: 'to', header: 'State', width: 170, cell: ({ to }) => <AlertStateLabel state={to} /> },
          {
            id: 'value',
            header: 'Value',
            width: 120,
            numeric: true,
            cell: ({ value }) => <AlertValue rule={rule} value={value} />,
          },
          { id: 'reason', header: 'Reason', cell: ({ reason }) => reason?.replaceAll('_', ' ') ?? '' },
        ]}
      />
    </Panel>
  );
}
