import { createMetric } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useScope } from '../../app/session.ts';
import { Page } from '../../ui/page.tsx';
import { ErrorState, Loading } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import { bodyOf, copyOf, emptyDraft, type MetricDraft } from './metric-draft.ts';
import { MetricForm } from './metric-form.tsx';
import { metricQuery, refreshMetrics } from './queries.ts';

/** Creates a metric; the address may name another one to begin with. */
export function NewMetricPage() {
  const scope = useScope();
  const { copy, q } = useSearch({ from: '/w/$ws/$project/flag-metrics/new' });
  const navigate = useNavigate();
  const original = useQuery({ ...metricQuery(scope, copy ?? ''), enabled: copy !== undefined });
  const save = async (draft: MetricDraft) => {
    const { data } = await call(createMetric, { params: { ws: scope.ws, p: scope.project }, body: bodyOf(draft) });
    toastDone(`${data.name} is created`);
    await refreshMetrics();
    await navigate({ to: '/w/$ws/$project/flag-metrics/$id', params: { ...scope, id: data.id } });
  };
  return (
    <Page title="Create metric" crumbs={<ScopeLink to="/w/$ws/$project/flag-metrics">Flag metrics</ScopeLink>}>
      {copy === undefined || original.data !== undefined ? (
        <MetricForm
          initial={original.data === undefined ? { ...emptyDraft, source: q ?? '' } : copyOf(original.data)}
          isNew
          action="Create metric"
          onSave={save}
        />
      ) : original.error ? (
        <ErrorState error={original.error} onRetry={() => void original.refetch()} />
      ) : (
        <Loading label="Loading the metric" />
      )}
    </Page>
  );
}
