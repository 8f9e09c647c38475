import { createSlo } from '@fanion/contract';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useScope } from '../../app/session.ts';
import { EnvironmentPicker } from '../../app/telemetry-controls.tsx';
import { useEnvironment } from '../../app/time-range.ts';
import { Page } from '../../ui/page.tsx';
import { toastDone } from '../../ui/toast.ts';
import { refreshSlos } from './queries.ts';
import { bodyOf, draftFrom } from './slo-draft.ts';
import { SloForm } from './slo-form.tsx';

/** Creates an SLO; the address has the indicator that another page hands over. */
export function NewSloPage() {
  const scope = useScope();
  const environment = useEnvironment();
  const search = useSearch({ from: '/w/$ws/$project/slos/new' });
  const navigate = useNavigate();
  return (
    <Page
      title="Create SLO"
      crumbs={<ScopeLink to="/w/$ws/$project/slos">SLOs</ScopeLink>}
      actions={<EnvironmentPicker />}
    >
      <SloForm
        initial={draftFrom(search)}
        environment={environment}
        action="Create SLO"
        onSave={async (draft) => {
          const body = bodyOf(draft);
          if (body === undefined) return;
          const { data } = await call(createSlo, {
            params: { ws: scope.ws },
            body: { ...body, project: scope.project, ...(environment !== undefined && { environment }) },
          });
          toastDone(`${data.name} is created`);
          await refreshSlos();
          await navigate({ to: '/w/$ws/$project/slos/$id', params: { ...scope, id: data.id } });
        }}
      />
    </Page>
  );
}
