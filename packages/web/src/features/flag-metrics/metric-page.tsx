import { removeMetric, replaceMetric } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { DraftOf } from '../../app/draft-of.tsx';
import { DeleteAndLeave } from '../../app/resource-actions.tsx';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useCan, useScope } from '../../app/session.ts';
import columns from '../../ui/columns.module.css';
import { Fact, Facts } from '../../ui/facts.tsx';
import { ButtonLink } from '../../ui/link.tsx';
import { Stack } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import { ResourcePage } from '../../ui/resource/resource-page.tsx';
import { saveOver } from '../../ui/stale.ts';
import { Notice } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import classes from './flag-metrics.module.css';
import { bodyOf, draftOf, type MetricDraft } from './metric-draft.ts';
import { MetricExplanation } from './metric-explanation.tsx';
import { MetricForm } from './metric-form.tsx';
import { directionText, KINDS, unitText } from './metric-words.ts';
import { type Metric, metricQuery, refreshMetrics } from './queries.ts';

/** One metric: its definition, and which rows count. */
export function MetricPage() {
  const scope = useScope();
  const { id } = useParams({ from: '/w/$ws/$project/flag-metrics/$id' });
  const canWrite = useCan('experiments:write');
  const canQuery = useCan('telemetry:query');
  const save = async (draft: MetricDraft, base: Metric) => {
    const { key: _, ...body } = bodyOf(draft);
    const params = { ws: scope.ws, p: scope.project, id };
    await saveOver(base, call(replaceMetric, { params, body: { ...body, version: base.version } }));
    toastDone(`${draft.name} is saved`);
    await refreshMetrics();
  };
  return (
    <ResourcePage
      query={useQuery(metricQuery(scope, id))}
      what="metric"
      title="Metric"
      crumbs={<ScopeLink to="/w/$ws/$project/flag-metrics">Flag metrics</ScopeLink>}
      subtitle={({ key }) => <span className="mono">{key}</span>}
      actions={(metric) => canWrite && <Actions metric={metric} />}
    >
      {(metric) =>
        metric.built_in ? (
          <div className={`${columns.columns} ${classes.builtIn}`}>
            <BuiltIn metric={metric} />
            <MetricExplanation metric={metric} />
          </div>
        ) : (
          <DraftOf document={metric}>
            {(base) => (
              <MetricForm
                initial={draftOf(base)}
                isNew={false}
                action="Save"
                onSave={canWrite && canQuery ? (draft) => save(draft, base) : undefined}
              >
                <Notice kind="info">
                  Running experiments and guarded releases keep the definition that they started with.
                </Notice>
              </MetricForm>
            )}
          </DraftOf>
        )
      }
    </ResourcePage>
  );
}

function BuiltIn({ metric }: { metric: Metric }) {
  return (
    <Panel title="What is measured">
      <Stack gap="sm">
        <p>{metric.description}</p>
        <Facts>
          <Fact name="Measures">{KINDS[metric.kind].label}</Fact>
          <Fact name="Rows" className="mono">
            {metric.source}
          </Fact>
          {metric.value !== null && (
            <Fact name="Number of a row" className="mono">
              {metric.value}
            </Fact>
          )}
          <Fact name="Joins">{unitText(metric)}</Fact>
          <Fact name="Good is">{directionText(metric)}</Fact>
        </Facts>
        <p className="dim">Every project has this metric. Copy it to change its rows or its unit.</p>
      </Stack>
    </Panel>
  );
}

function Actions({ metric }: { metric: Metric }) {
  const scope = useScope();
  return (
    <>
      <ButtonLink to="/w/$ws/$project/flag-metrics/new" params={scope} search={{ copy: metric.id }} variant="default">
        Copy
      </ButtonLink>
      {!metric.built_in && (
        <DeleteAndLeave
          name={metric.name}
          body="Drafts of experiments that name it cannot start until they name another one. Running experiments keep their copy."
          action="Delete metric"
          run={() => call(removeMetric, { params: { ws: scope.ws, p: scope.project, id: metric.id } })}
          list="/w/$ws/$project/flag-metrics"
          queryKey={metricQuery(scope, metric.id).queryKey}
          refresh={refreshMetrics}
        />
      )}
    </>
  );
}
