import { replaceSlo } from '@fanion/contract';
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
import { refreshSlos, sloQuery } from './queries.ts';
import { bodyOf, draftOf } from './slo-draft.ts';
import { SloForm } from './slo-form.tsx';

/** Changes an SLO. */
export function EditSloPage() {
  const scope = useScope();
  const { id } = useParams({ from: '/w/$ws/$project/slos/$id/edit' });
  const navigate = useNavigate();
  const { data: slo, error, refetch } = useQuery(sloQuery(scope.ws, id));
  return (
    <Page
      title={slo === undefined ? 'Edit SLO' : `Edit ${slo.name}`}
      crumbs={
        <AppLink to="/w/$ws/$project/slos/$id" params={{ ...scope, id }}>
          {slo?.name ?? 'SLO'}
        </AppLink>
      }
    >
      <Loaded query={{ data: slo, error, refetch }} label="Loading the SLO">
        {(slo) => (
          <>
            <Notice kind="info">A change of what is counted counts the past again. Other changes apply at once.</Notice>
            <DraftOf document={slo}>
              {(base) => (
                <SloForm
                  initial={draftOf(base)}
                  environment={base.environment ?? undefined}
                  action="Save"
                  onSave={async (draft) => {
                    const body = bodyOf(draft);
                    if (body === undefined) return;
                    const written = call(replaceSlo, {
                      params: { ws: scope.ws, id },
                      body: { ...body, version: base.version },
                    });
                    await saveOver(base, written);
                    toastDone(`${draft.name} is saved`);
                    await refreshSlos();
                    await navigate({ to: '/w/$ws/$project/slos/$id', params: { ...scope, id } });
                  }}
                />
              )}
            </DraftOf>
          </>
        )}
      </Loaded>
    </Page>
  );
}
