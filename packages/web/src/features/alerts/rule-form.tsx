import { useMemo, useState } from 'react';
import { ChooseOrWrite, useChoosing } from '../../alerting/choose-or-write.tsx';
import { type Symptom, symptomQuery } from '../../alerting/symptom-rules.ts';
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
import { compares, missingParts, type RuleDraft } from './rule-draft.ts';
import { RulePreview } from './rule-preview.tsx';
import { RuleQuery } from './rule-query.tsx';
import { symptomOfDraft, unitOf, withSymptom } from './rule-symptom.ts';
import { SymptomPicker } from './symptom-picker.tsx';
import { ThresholdField } from './threshold-field.tsx';

const KINDS = [
  { value: 'threshold', label: 'The value meets the condition' },
  { value: 'absence', label: 'There are no rows' },
  { value: 'change', label: 'The value changed from before' },
];

const OPERATORS = ['>', '>=', '<', '<=', '==', '!='].map((value) => ({ value, label: value }));
const ANY_SERIES = { value: 'any', label: 'Whatever is returned' };

type Fields = Omit<DraftForm<RuleDraft>, 'form'>;

/** The editor of a rule, with what it would have done in the past beside it. */
export function RuleForm({
  initial,
  environment,
  action,
  onSave,
  children,
}: DraftFormProps<RuleDraft> & { environment: string | undefined }) {
  const { form, ...fields } = useDraftForm({ initial, check: problemsOf, onSave });
  const { draft, set } = fields;
  const { query, kind, language } = draft;
  const isOql = language === 'oql';
  const symptom = useMemo(() => (isOql ? symptomOfDraft({ query, kind }) : null), [isOql, query, kind]);
  const choosing = useChoosing(isOql && (symptom !== null || query.trim() === ''));
  const { chooses } = choosing;
  const unit = unitOf(chooses ? symptom : null);
  return (
    <ColumnsForm form={form} beside="420px">
      <div className={columns.column}>
        {children}
        <Watched {...fields} choosing={choosing} symptom={symptom} environment={environment} error={form.error} />
        <RulePreview
          draft={draft}
          symptom={chooses ? symptom : null}
          environment={environment}
          onThreshold={(threshold) => set({ threshold })}
        />
      </div>
      <div className={columns.column}>
        <Condition unit={unit} {...fields} />
        <Evaluation {...fields} />
        <Message {...fields} />
        {onSave !== undefined && <SaveDraft form={form} action={action} />}
      </div>
    </ColumnsForm>
  );
}

/** What the rule watches: a symptom that is chosen, or a query that is written. */
function Watched({
  draft,
  problems,
  set,
  choosing,
  symptom,
  environment,
  error,
}: Fields & {
  choosing: ReturnType<typeof useChoosing>;
  symptom: Symptom | null;
  environment: string | undefined;
  error: unknown;
}) {
  const { chooses, setChooses } = choosing;
  // A symptom without its metric has no query that would hold it.
  const [unfinished, setUnfinished] = useState<Symptom | null>(null);
  return (
    <Panel
      title="What to watch"
      actions={draft.language === 'oql' && <ChooseOrWrite label="How to say what to watch" choosing={choosing} />}
    >
      <Stack gap="sm">
        {chooses && (
          <SymptomPicker
            symptom={symptom ?? unfinished}
            environment={environment}
            onChange={(next) => {
              setUnfinished(symptomQuery(next) === '' ? next : null);
              set(withSymptom(draft, next));
            }}
          />
        )}
        <RuleQuery
          draft={draft}
          error={problems.query}
          isWritten={!chooses}
          set={(change) => {
            setChooses(false);
            set(change);
          }}
        />
        <DiagnosticNotices error={error} />
      </Stack>
    </Panel>
  );
}

function Condition({ unit, draft, problems, set, text, choice }: Fields & { unit: ReturnType<typeof unitOf> }) {
  return (
    <Panel title="Condition">
      <Stack gap="sm">
        <TextInput label="Name" placeholder="Checkout fails" {...text('name')} />
        <Select label="Fires when" data={KINDS} {...choice('kind')} />
        {draft.kind !== 'absence' && (
          <div className={columns.row}>
            <Select
              label="Value is"
              data={draft.language === 'promql' ? [ANY_SERIES, ...OPERATORS] : OPERATORS}
              {...choice('op')}
            />
            {compares(draft) && (
              <ThresholdField
                // Another unit shows another number.
                key={unit.suffix}
                value={draft.threshold}
                unit={unit}
                error={problems.threshold}
                onChange={(threshold) => set({ threshold })}
              />
            )}
          </div>
        )}
        {draft.kind === 'change' && (
          <div className={columns.row}>
            <TextInput label="Compared with" description="How long before" {...text('ago')} />
            <Select
              label="As"
              description="What is compared"
              data={[
                { value: 'ratio', label: 'Share of the value before' },
                { value: 'difference', label: 'Difference' },
              ]}
              {...choice('as')}
            />
          </div>
        )}
        <div className={columns.row}>
          <TextInput label="For" description="Before it fires" {...text('for')} />
          <TextInput label="Keep firing for" description="After it ended" {...text('keep_firing_for')} />
        </div>
      </Stack>
    </Panel>
  );
}

function Evaluation({ draft, text, choice }: Fields) {
  return (
    <Panel title="Evaluation">
      <Stack gap="sm">
        <div className={columns.row}>
          <TextInput label="Interval" {...text('every')} />
          {draft.language === 'oql' && (
            <TextInput label="Look back" placeholder="same as interval" {...text('window')} />
          )}
          <TextInput label="Offset" placeholder="automatic" {...text('offset')} />
        </div>
        <span className="dim">
          The offset delays each query, so that late data is included. If it is empty, it is as long as the project’s
          telemetry takes to arrive.
        </span>
        <Select
          label="When there is no data"
          data={[
            { value: 'ok', label: 'Nothing fires' },
            { value: 'alert', label: 'Fire “no data”' },
            { value: 'keep', label: 'Keep the states' },
          ]}
          {...choice('no_data')}
        />
        <Select
          label="When a single series stops"
          data={[
            { value: 'resolve', label: 'Resolve it' },
            { value: 'keep', label: 'Keep its state' },
            { value: 'alert', label: 'Fire' },
          ]}
          {...choice('missing_series')}
        />
        <Select
          label="When the query fails"
          data={[
            { value: 'keep', label: 'Keep the states' },
            { value: 'alert', label: 'Fire' },
          ]}
          {...choice('on_error')}
        />
      </Stack>
    </Panel>
  );
}

function Message({ text }: Fields) {
  return (
    <Panel title="Message">
      <Stack gap="sm">
        <TextInput label="Summary" placeholder={'{{ labels["service.name"] }} fails'} {...text('summary')} />
        <Textarea label="Description" {...text('description')} />
        <TextInput label="Runbook" type="url" placeholder="https://" {...text('runbook_url')} />
        <Textarea
          label="Labels"
          description="One name=value per line"
          placeholder="team=checkout"
          {...text('labels')}
        />
      </Stack>
    </Panel>
  );
}

/** A name is needed to save the rule: the fields can be tried without. */
function problemsOf(draft: RuleDraft): ReturnType<typeof missingParts> {
  return { ...missingParts(draft), ...(draft.name.trim() === '' && { name: 'Name the rule' }) };
}
