import { createRecordingRule } from '@fanion/contract';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useScope } from '../../app/session.ts';
import { useEnvironment } from '../../app/time-range.ts';
import { Page } from '../../ui/page.tsx';
import { toastDone } from '../../ui/toast.ts';
import { refreshRecordingRules } from './queries.ts';
import { bodyOf, emptyDraft } from './rule-draft.ts';
import { RuleForm } from './rule-form.tsx';

/** Creates a recording rule; `q` in the address is its query. */
export function NewRecordingRulePage() {
  const scope = useScope();
  const environment = useEnvironment();
  const { q = '' } = useSearch({ from: '/w/$ws/$project/recording-rules/new' });
  const navigate = useNavigate();
  return (
    <Page
      title="Create recording rule"
      crumbs={<ScopeLink to="/w/$ws/$project/recording-rules">Recording rules</ScopeLink>}
    >
      <RuleForm
        initial={{ ...emptyDraft, query: q }}
        environment={environment}
        action="Create recording rule"
        onSave={async (draft) => {
          const { data } = await call(createRecordingRule, {
            params: { ws: scope.ws },
            body: { ...bodyOf(draft, true), project: scope.project, ...(environment !== undefined && { environment }) },
          });
          toastDone(`${data.name} is created`);
          await refreshRecordingRules();
          await navigate({ to: '/w/$ws/$project/recording-rules/$id', params: { ...scope, id: data.id } });
        }}
      />
    </Page>
  );
}
