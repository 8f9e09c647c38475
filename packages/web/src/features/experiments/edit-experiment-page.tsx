import { replaceExperiment } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { DraftOf } from '../../app/draft-of.tsx';
import { useScope } from '../../app/session.ts';
import { AppLink } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/resource/loaded.tsx';
import { saveOver } from '../../ui/stale.ts';
import { Notice } from '../../ui/states.tsx';
import { toastDone } from '../../ui/toast.ts';
import { bodyOf, draftOf, type ExperimentDraft } from './experiment-draft.ts';
import { ExperimentForm } from './experiment-form.tsx';
import { type Experiment, experimentQuery, refreshExperiments } from './queries.ts';

/** Changes an experiment that has not started. */
export function EditExperimentPage() {
  const scope = useScope();
  const { id } = useParams({ from: '/w/$ws/$project/experiments/$id/edit' });
  const navigate = useNavigate();
  const { data: experiment, error, refetch } = useQuery(experimentQuery(scope, id));
  const save = async (draft: ExperimentDraft, base: Experiment) => {
    const { key: _, ...body } = bodyOf(draft);
    const params = { ws: scope.ws, p: scope.project, id };
    await saveOver(base, call(replaceExperiment, { params, body: { ...body, version: base.version } }));
    toastDone(`${draft.name} is saved`);
    await refreshExperiments();
    await navigate({ to: '/w/$ws/$project/experiments/$id', params: { ...scope, id } });
  };
  return (
    <Page
      title={experiment === undefined ? 'Edit experiment' : `Edit ${experiment.name}`}
      crumbs={
        <AppLink to="/w/$ws/$project/experiments/$id" params={{ ...scope, id }}>
          {experiment?.name ?? 'Experiment'}
        </AppLink>
      }
    >
      <Loaded query={{ data: experiment, error, refetch }} label="Loading the experiment">
        {(experiment) =>
          experiment.state !== 'draft' ? (
            <Notice kind="info">The experiment has started, so its variants and goals can no longer change.</Notice>
          ) : (
            <DraftOf document={experiment}>
              {(base) => (
                <ExperimentForm
                  initial={draftOf(base)}
                  isNew={false}
                  action="Save"
                  onSave={(draft) => save(draft, base)}
                />
              )}
            </DraftOf>
          )
        }
      </Loaded>
    </Page>
  );
}
