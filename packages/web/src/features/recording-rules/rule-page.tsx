import { removeRecordingRule, replaceRecordingRule } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { useDelete } from '../../app/confirmed.ts';
import { DraftOf } from '../../app/draft-of.tsx';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useCan, useScope } from '../../app/session.ts';
import facts from '../../ui/facts.module.css';
import { formatNumber } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Button, Switch } from '../../ui/mantine.ts';
import { Page, Panel } from '../../ui/page.tsx';
import { saveOver } from '../../ui/stale.ts';
import { ErrorState, Loading, Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { type RecordingRule, recordingRuleQuery, recordingRulesQuery, refreshRecordingRules } from './queries.ts';
import { Backfill, lagText, RuleState } from './recording-rules-page.tsx';
import { bodyOf, draftOf } from './rule-draft.ts';
import { RuleForm } from './rule-form.tsx';

/** One recording rule: whether it keeps up, and the rule to edit. */
export function RecordingRulePage() {
  const scope = useScope();
  const { id } = useParams({ from: '/w/$ws/$project/recording-rules/$id' });
  const canWrite = useCan('dashboards:write');
  const { data: rule, error, refetch } = useQuery(recordingRuleQuery(scope.ws, id));
  // The list is asked for again and again; what is edited is not.
  const { data: rules } = useQuery(recordingRulesQuery(scope.ws, scope.project));
  const current = rules?.find((one) => one.id === id) ?? rule;
  const replace = async (body: ReturnType<typeof bodyOf>, base: RecordingRule) => {
    const { version } = base;
    await saveOver(base, call(replaceRecordingRule, { params: { ws: scope.ws, id }, body: { ...body, version } }));
    await refreshRecordingRules();
  };
  return (
    <Page
      title={rule?.name ?? 'Recording rule'}
      crumbs={<ScopeLink to="/w/$ws/$project/recording-rules">Recording rules</ScopeLink>}
      subtitle={current && <RuleState rule={current} />}
      actions={
        rule &&
        canWrite && <Actions rule={rule} onEnable={(enabled) => replace(bodyOf(draftOf(rule), enabled), rule)} />
      }
    >
      {rule === undefined || current === undefined ? (
        error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <Loading label="Loading the recording rule" />
        )
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
                      await replace(bodyOf(draft, base.enabled), base);
                      toastDone(`${draft.name} is saved`);
                    }
                  : undefined
              }
            >
              <Health rule={current} />
            </RuleForm>
          )}
        </DraftOf>
      )}
    </Page>
  );
}

function Health({ rule }: { rule: RecordingRule }) {
  const scope = useScope();
  const { backfill, watermark, lag_seconds, missed, revision, last_error } = rule;
  return (
    <>
      {last_error !== null && <Notice kind="error">The last step could not be written: {last_error}</Notice>}
      {backfill?.state === 'failed' && <Notice kind="error">The backfill failed: {backfill.error}</Notice>}
      <Panel title="What is written">
        <dl className={facts.facts}>
          <dt>Metric</dt>
          <dd>
            <AppLink to="/w/$ws/$project/metrics" params={scope} search={{ metric: rule.name }}>
              {rule.name}
            </AppLink>
          </dd>
          <dt>Up to</dt>
          <dd>
            <Timestamp value={watermark} />, {lagText(lag_seconds)} behind
          </dd>
          <dt>Missed steps</dt>
          <dd>
            {formatNumber(missed)}
            {missed > 0 && <span className="dim"> were more than a day old; write the past to fill them</span>}
          </dd>
          <dt>Past</dt>
          <dd>
            <Backfill backfill={backfill} />
            {backfill !== null && (
              <span className="dim">
                {' '}
                from <Timestamp value={backfill.from} /> to <Timestamp value={backfill.to} />
              </span>
            )}
          </dd>
          <dt>Revision</dt>
          <dd>
            {revision} <span className="dim">– a change of what is written begins a new one; points stay</span>
          </dd>
        </dl>
      </Panel>
    </>
  );
}

function Actions({ rule, onEnable }: { rule: RecordingRule; onEnable: (enabled: boolean) => Promise<void> }) {
  const scope = useScope();
  const navigate = useNavigate();
  const deleteIt = useDelete();
  const remove = () =>
    deleteIt({
      name: rule.name,
      body: 'Deletes the rule. The metric keeps the points that were written.',
      action: 'Delete recording rule',
      run: () => call(removeRecordingRule, { params: { ws: scope.ws, id: rule.id } }),
      leave: () => navigate({ to: '/w/$ws/$project/recording-rules', params: scope }),
      queryKey: recordingRuleQuery(scope.ws, rule.id).queryKey,
      refresh: refreshRecordingRules,
    });
  return (
    <>
      <Switch
        label="On"
        checked={rule.enabled}
        onChange={(event) => {
          const enabled = event.currentTarget.checked;
          onEnable(enabled)
            .then(() => toastDone(`${rule.name} is ${enabled ? 'on' : 'off'}`))
            .catch(toastError);
        }}
      />
      <Button variant="default" onClick={() => void remove()}>
        Delete
      </Button>
    </>
  );
}
