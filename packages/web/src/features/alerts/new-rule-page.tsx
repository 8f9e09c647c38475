import { createAlertRule } from '@fanion/contract';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { ScopeLink } from '../../app/scope-links.tsx';
import { useScope } from '../../app/session.ts';
import { EnvironmentPicker } from '../../app/telemetry-controls.tsx';
import { useEnvironment } from '../../app/time-range.ts';
import { languageOf } from '../../telemetry/query-language.ts';
import { Page } from '../../ui/page.tsx';
import { toastDone } from '../../ui/toast.ts';
import { refreshAlerts } from './queries.ts';
import { bodyOf, emptyDraft, inLanguage } from './rule-draft.ts';
import { RuleForm } from './rule-form.tsx';

/** Creates an alert rule; `q` in the address is its query and `lang` its language, as other pages hand them over. */
export function NewRulePage() {
  const scope = useScope();
  const environment = useEnvironment();
  const { q = '', lang } = useSearch({ from: '/w/$ws/$project/alerts/rules/new' });
  const navigate = useNavigate();
  return (
    <Page
      title="Create alert rule"
      crumbs={<ScopeLink to="/w/$ws/$project/alerts">Alerts</ScopeLink>}
      actions={<EnvironmentPicker />}
    >
      <RuleForm
        initial={{ ...emptyDraft, query: q, ...inLanguage(emptyDraft, languageOf(lang)) }}
        environment={environment}
        action="Create alert rule"
        onSave={async (draft) => {
          const { data } = await call(createAlertRule, {
            params: { ws: scope.ws },
            body: { ...bodyOf(draft), project: scope.project, ...(environment !== undefined && { environment }) },
          });
          toastDone(`${data.name} is created`);
          await refreshAlerts();
          await navigate({ to: '/w/$ws/$project/alerts/rules/$id', params: { ...scope, id: data.id } });
        }}
      />
    </Page>
  );
}
