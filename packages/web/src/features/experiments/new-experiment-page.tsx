import { createExperiment } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useScope } from '../../app/session.ts';
import { useEnvironment } from '../../app/time-range.ts';
import { Page } from '../../ui/page.tsx';
import { Unloaded } from '../../ui/resource/loaded.tsx';
import { toastDone } from '../../ui/toast.ts';
import { flagQuery } from '../flags/queries.ts';
import { bodyOf, type ExperimentDraft, emptyDraft, withFlag } from './experiment-draft.ts';
import { ExperimentForm } from './experiment-form.tsx';
import { refreshExperiments } from './queries.ts';

/** Creates an experiment as a draft; the address may name its flag. */
export function NewExperimentPage() {
  const scope = useScope();
  const environment = useEnvironment() ?? '';
  const { flag: key } = useSearch({ from: '/w/$ws/$project/experiments/new' });
  const navigate = useNavigate();
  const flag = useQuery({ ...flagQuery(scope.ws, scope.project, key ?? ''), enabled: key !== undefined });
  const save = async (draft: ExperimentDraft) => {
    const params = { ws: scope.ws, p: scope.project };
    const { data } = await call(createExperiment, { params, body: bodyOf(draft) });
    toastDone(`${data.name} is a draft. Start it when you are ready.`);
    await refreshExperiments();
    await navigate({ to: '/w/$ws/$project/experiments/$id', params: { ...scope, id: data.id } });
  };
  const start = { ...emptyDraft, environment };
  return (
    <Page title="Create experiment" crumbs={<ScopeLink to="/w/$ws/$project/experiments">Experiments</ScopeLink>}>
      {key === undefined || flag.data !== undefined ? (
        <ExperimentForm
          initial={flag.data === undefined ? start : withFlag(start, flag.data)}
          isNew
          action="Create draft"
          onSave={save}
        />
      ) : (
        <Unloaded query={flag} label="Loading the flag" />
      )}
    </Page>
  );
}
