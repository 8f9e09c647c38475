import columns from '../../ui/columns.module.css';
import { Select, Stack, Textarea, TextInput } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import {
  ColumnsForm,
  type DraftForm,
  type DraftFormProps,
  SaveDraft,
  useDraftForm,
} from '../../ui/resource/draft-form.tsx';
import { DiagnosticNotices } from '../explore/diagnostic-notices.tsx';
import { LanguageField } from '../explore/language-field.tsx';
import { PASTS, problemsOf, type RuleDraft } from './rule-draft.ts';
import { RulePreview } from './rule-preview.tsx';

const EXAMPLES = {
  oql: 'spans | stats value=count() by service.name',
  promql: 'sum by (job) (rate(http_requests_total[5m]))',
};

/** The editor of a recording rule, with what one step would write. */
export function RuleForm({
  initial,
  environment,
  replaces,
  action,
  onSave,
  children,
}: DraftFormProps<RuleDraft> & { environment: string | undefined; replaces?: string }) {
  const { form, ...fields } = useDraftForm({ initial, check: problemsOf, onSave });
  const { draft, problems, set, text } = fields;
  return (
    <ColumnsForm form={form} beside="380px">
      <div className={columns.column}>
        {children}
        <Panel title="Query">
          <Stack gap="sm">
            <LanguageField
              examples={EXAMPLES}
              query={draft.query}
              language={draft.language}
              error={problems.query}
              onChange={(query) => set({ query })}
              onLanguage={(language) => set({ language })}
            />
            <DiagnosticNotices error={form.error} />
            <span className="dim">
              {draft.language === 'promql' ? (
                'The expression is evaluated at the end of each step. Each series that it returns is recorded.'
              ) : (
                <>
                  Each row is a series: the column <code>value</code> is its value, or else the only number; the keys
                  are its labels. The query is asked for each step of time, so it needs no <code>bucket</code>.
                </>
              )}
            </span>
          </Stack>
        </Panel>
        <RulePreview draft={draft} environment={environment} replaces={replaces} />
      </div>
      <div className={columns.column}>
        <Panel title="Metric">
          <Stack gap="sm">
            <TextInput label="Name" placeholder="shop.requests" spellCheck={false} {...text('name')} />
            <TextInput label="Unit" description="In UCUM, such as s or By" {...text('unit')} />
            <Textarea
              label="Labels"
              description="Added to every series, one name=value per line"
              placeholder="team=shop"
              {...text('labels')}
            />
          </Stack>
        </Panel>
        <When {...fields} />
        {onSave !== undefined && <SaveDraft form={form} action={action} />}
      </div>
    </ColumnsForm>
  );
}

function When({ draft, set, text }: Pick<DraftForm<RuleDraft>, 'draft' | 'set' | 'text'>) {
  return (
    <Panel title="When">
      <Stack gap="sm">
        <div className={columns.row}>
          <TextInput label="Every" {...text('every')} />
          <TextInput label="Offset" placeholder="automatic" {...text('offset')} />
        </div>
        <span className="dim">
          The offset delays each step, so that late data is included. By default, it is as long as the data that the
          group reads takes to arrive.
        </span>
        <div className={columns.row}>
          <TextInput label="Group" {...text('group')} />
          <TextInput label="Order" inputMode="numeric" {...text('position')} />
        </div>
        <span className="dim">Rules in a group run in order, so a rule can read what an earlier one wrote.</span>
        <Select
          label="Past"
          data={PASTS}
          value={draft.backfill_from}
          onChange={(value) => set({ backfill_from: value ?? '' })}
        />
      </Stack>
    </Panel>
  );
}
