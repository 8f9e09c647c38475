import { removeRecordingRule, replaceRecordingRule } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { DraftOf } from '../../app/draft-of.tsx';
import { DeleteAndLeave, OnSwitch } from '../../app/resource-actions.tsx';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useCan, useScope } from '../../app/session.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { formatNumber } from '../../ui/format/index.ts';
import { AppLink } from '../../ui/link.tsx';
import { Panel } from '../../ui/page.tsx';
import { ResourcePage } from '../../ui/resource/resource-page.tsx';
import { saveOver } from '../../ui/stale.ts';
import { Notice } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { toastDone } from '../../ui/toast.ts';
import { type RecordingRule, recordingRuleQuery, recordingRulesQuery, refreshRecordingRules } from './queries.ts';
import { Backfill, lagText, RuleState } from './recording-rules-page.tsx';
import { bodyOf, draftOf } from './rule-draft.ts';
import { RuleForm } from './rule-form.tsx';

/** One recording rule: whether it keeps up, and the rule to edit. */
export function RecordingRulePage() {
  const scope = useScope();
  const { id } = useParams({ from: '/w/$ws/$project/recording-rules/$id' });
  const canWrite = useCan('dashboards:write');
  // The list is asked for again and again; what is edited is not.
  const { data: rules } = useQuery(recordingRulesQuery(scope.ws, scope.project));
  const current = (rule: RecordingRule) => rules?.find((one) => one.id === id) ?? rule;
  const replace = async (body: ReturnType<typeof bodyOf>, base: RecordingRule) => {
    const { version } = base;
    await saveOver(base, call(replaceRecordingRule, { params: { ws: scope.ws, id }, body: { ...body, version } }));
    await refreshRecordingRules();
  };
  return (
    <ResourcePage
      query={useQuery(recordingRuleQuery(scope.ws, id))}
      what="recording rule"
      title="Recording rule"
      crumbs={<ScopeLink to="/w/$ws/$project/recording-rules">Recording rules</ScopeLink>}
      subtitle={(rule) => <RuleState rule={current(rule)} />}
      actions={(rule) =>
        canWrite && <Actions rule={rule} onEnable={(enabled) => replace(bodyOf(draftOf(rule), enabled), rule)} />
      }
    >
      {(rule) => (
        <DraftOf document={rule}>
          {(base) => (
            <RuleForm
              initial={draftOf(base)}
              environment={base.environment ?? undefined}
              replaces={id}
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
              <Health rule={current(rule)} />
            </RuleForm>
          )}
        </DraftOf>
      )}
    </ResourcePage>
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
        <Facts>
          <Fact name="Metric">
            <AppLink to="/w/$ws/$project/metrics" params={scope} search={{ metric: rule.name }}>
              {rule.name}
            </AppLink>
          </Fact>
          <Fact name="Up to">
            <Timestamp value={watermark} />, {lagText(lag_seconds)} behind
          </Fact>
          <Fact name="Missed steps">
            {formatNumber(missed)}
            {missed > 0 && <span className="dim"> were more than a day old; write the past to fill them</span>}
          </Fact>
          <Fact name="Past">
            <Backfill backfill={backfill} />
            {backfill !== null && (
              <span className="dim">
                {' '}
                from <Timestamp value={backfill.from} /> to <Timestamp value={backfill.to} />
              </span>
            )}
          </Fact>
          <Fact name="Revision">
            {revision} <span className="dim">– a change of what is written begins a new one; points stay</span>
          </Fact>
        </Facts>
      </Panel>
    </>
  );
}

function Actions({ rule, onEnable }: { rule: RecordingRule; onEnable: (enabled: boolean) => Promise<void> }) {
  const scope = useScope();
  return (
    <>
      <OnSwitch rule={rule} save={onEnable} />
      <DeleteAndLeave
        name={rule.name}
        body="Deletes the rule. The metric keeps the points that were written."
        action="Delete recording rule"
        run={() => call(removeRecordingRule, { params: { ws: scope.ws, id: rule.id } })}
        list="/w/$ws/$project/recording-rules"
        queryKey={recordingRuleQuery(scope.ws, rule.id).queryKey}
        refresh={refreshRecordingRules}
      />
    </>
  );
}
