import { listSilences } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { alertInstancesQuery } from '../../alerting/instances.ts';
import { matchersOf, newMatcher } from '../../alerting/matchers.ts';
import { listQuery } from '../../api/queries.ts';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useScope } from '../../app/session.ts';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import type { Silence } from './queries.ts';
import { emptySilence, type SilenceDraft, silenceDraftOf } from './silence-draft.ts';
import { SilenceForm } from './silence-form.tsx';

/** Creates a silence; with `silence` in the address it edits that one, with `alert` it matches that one. */
export function NewSilencePage() {
  const scope = useScope();
  const { silence: silenceId, alert: alertId } = useSearch({ from: '/w/$ws/$project/silences/new' });
  const navigate = useNavigate();
  const silences = useQuery({
    ...listQuery(listSilences, { params: { ws: scope.ws } }),
    enabled: silenceId !== undefined,
    // It is not reloaded while somebody edits it.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const alerts = useQuery({ ...alertInstancesQuery(scope.ws), enabled: alertId !== undefined });
  const edited = silences.data?.find(({ id }) => id === silenceId);
  const replaces = edited?.status === 'expired' ? undefined : edited;
  const initial = initialOf(
    { id: silenceId, found: edited },
    { id: alertId, labels: alerts.data?.find(({ id }) => id === alertId)?.labels },
  );
  const source = silenceId !== undefined ? silences : alerts;
  return (
    <Page
      title={replaces === undefined ? 'Create silence' : 'Edit silence'}
      crumbs={<ScopeLink to="/w/$ws/$project/silences">Silences</ScopeLink>}
    >
      {initial !== undefined ? (
        <SilenceForm
          initial={initial}
          replaces={replaces}
          onSaved={() => {
            toastDone(replaces === undefined ? 'The silence is created' : 'The silence is saved');
            void navigate({ to: '/w/$ws/$project/silences', params: scope });
          }}
        />
      ) : source.error ? (
        <ErrorState error={source.error} onRetry={() => void source.refetch()} />
      ) : source.data === undefined ? (
        <Loading />
      ) : (
        <EmptyState title={silenceId !== undefined ? 'This silence does not exist' : 'This alert does not exist'}>
          It may be too old: silences are kept for 90 days after they end, alerts for a day.
        </EmptyState>
      )}
    </Page>
  );
}

/** Undefined while what it is made of is loading, or if that does not exist. */
function initialOf(
  silence: { id: string | undefined; found: Silence | undefined },
  alert: { id: string | undefined; labels: Readonly<Record<string, string>> | undefined },
): SilenceDraft | undefined {
  if (silence.id !== undefined) return silence.found && silenceDraftOf(silence.found);
  if (alert.id === undefined) return emptySilence();
  return alert.labels && { ...emptySilence(), matchers: matchersOf(alert.labels).map(newMatcher) };
}
