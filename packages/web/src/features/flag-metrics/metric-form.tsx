import { QueryField } from '../../telemetry/editor/query-field.tsx';
import columns from '../../ui/columns.module.css';
import { DraftRows } from '../../ui/draft-rows.tsx';
import { Select, Stack, Switch, Textarea, TextInput } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import {
  ColumnsForm,
  type DraftForm,
  type DraftFormProps,
  SaveDraft,
  useDraftForm,
} from '../../ui/resource/draft-form.tsx';
import { Notice } from '../../ui/states.tsx';
import { DiagnosticNotices } from '../explore/diagnostic-notices.tsx';
import { uid } from '../flags/draft.ts';
import classes from './flag-metrics.module.css';
import { FIELDS, type MetricDraft, problemsOf } from './metric-draft.ts';
import { DraftExplanation } from './metric-explanation.tsx';
import { KINDS } from './metric-words.ts';

const EXAMPLE = 'logs | where body == "purchase"';
const mono = { input: { fontFamily: 'var(--f-mono)', fontSize: 12 } };

type Fields = Omit<DraftForm<MetricDraft>, 'form'>;

/** The editor of a metric, with the rows that count beside it. */
export function MetricForm({
  initial,
  isNew,
  action,
  onSave,
  children,
}: DraftFormProps<MetricDraft> & { isNew: boolean }) {
  const { form, ...fields } = useDraftForm({ initial, check: problemsOf, onSave });
  const { draft, problems, set, text, choice } = fields;
  return (
    <ColumnsForm form={form} beside="520px">
      <div className={columns.column}>
        {children}
        <Panel title="What is measured">
          <Stack gap="sm">
            <TextInput label="Name" placeholder="Purchase" {...text('name')} />
            {isNew && (
              <TextInput
                label="Key"
                description="Used in experiments, files and the API. It cannot change later. By default, it is derived from the name."
                {...text('key')}
              />
            )}
            <Select
              label="Measure"
              description={KINDS[draft.kind].help}
              data={Object.entries(KINDS).map(([value, { label }]) => ({ value, label }))}
              {...choice('kind')}
            />
            <QueryField
              label="Rows: each row is an event of a unit"
              example={EXAMPLE}
              value={draft.source}
              error={problems.source}
              onChange={(source) => set({ source })}
            />
            <KindFields {...fields} />
            <DiagnosticNotices error={form.error} />
          </Stack>
        </Panel>
        <Counting {...fields} />
        {onSave !== undefined && <SaveDraft form={form} action={action} />}
      </div>
      <div className={columns.column}>
        <DraftExplanation draft={draft} />
      </div>
    </ColumnsForm>
  );
}

function Counting({ draft, text, choice, toggle }: Fields) {
  return (
    <Panel title="How it counts">
      <Stack gap="sm">
        <TextInput
          label="Unit"
          description="trace_id: rows of the traces that saw the flag. Or the attribute with the id of the unit, such as user.id: rows after the unit saw the flag."
          styles={mono}
          {...text('unit')}
        />
        <div className={columns.row}>
          <TextInput
            label="Count rows for"
            placeholder="no limit"
            description="After the exposure"
            {...text('window')}
          />
          {FIELDS[draft.kind].includes('cap') && (
            <TextInput
              label="Cap at percentile"
              placeholder="no cap"
              description="Limits what one unit does"
              inputMode="decimal"
              {...text('cap')}
            />
          )}
          <Select
            label="Good is"
            description="For verdicts"
            data={[
              { value: 'up_is_good', label: 'More' },
              { value: 'down_is_good', label: 'Less' },
            ]}
            {...choice('direction')}
          />
        </div>
        <Switch
          label="Guardrail"
          description="Marks a metric that must not get worse, as error rates and latencies are"
          {...toggle('guardrail')}
        />
        <Textarea label="Description" {...text('description')} />
      </Stack>
    </Panel>
  );
}

function KindFields({ draft, problems, set, text }: Fields) {
  const fields = FIELDS[draft.kind];
  return (
    <>
      {fields.includes('value') && (
        <TextInput
          label={draft.kind === 'ratio' ? 'Upper number of a row' : 'Number of a row'}
          description="An OQL expression"
          placeholder={draft.kind === 'ratio' ? 'if(status == error, 1, 0)' : 'attr["order.total"]'}
          spellCheck={false}
          styles={mono}
          {...text('value')}
        />
      )}
      {fields.includes('denominator') && (
        <TextInput
          label="Lower number of a row"
          description="If it is empty, each row counts 1"
          spellCheck={false}
          styles={mono}
          {...text('denominator')}
        />
      )}
      {fields.includes('quantile') && (
        <TextInput
          label="Percentile"
          inputMode="decimal"
          rightSection={<span className="dim">%</span>}
          {...text('quantile')}
        />
      )}
      {fields.includes('retention') && (
        <div className={columns.row}>
          <TextInput label="Comes back from" description="After the exposure" {...text('comes_back_from')} />
          <TextInput label="Comes back to" description="After the exposure" {...text('comes_back_to')} />
        </div>
      )}
      {fields.includes('steps') && <FunnelSteps steps={draft.steps} problem={problems.steps} set={set} />}
    </>
  );
}

function FunnelSteps({
  steps,
  problem,
  set,
}: Pick<MetricDraft, 'steps'> & Pick<Fields, 'set'> & { problem: string | undefined }) {
  return (
    <div>
      <DraftRows
        title="Steps, in this order"
        one="step"
        className={classes.step}
        rows={steps}
        onChange={(steps) => set({ steps })}
        newRow={() => ({ uid: uid(), condition: '' })}
        fields={({ condition }, index, edit) => (
          <TextInput
            aria-label={`Step ${index + 1}: condition`}
            placeholder='body == "cart"'
            spellCheck={false}
            styles={mono}
            value={condition}
            onChange={({ currentTarget: { value } }) => edit({ condition: value })}
          />
        )}
      />
      {problem !== undefined && <Notice kind="error">{problem}.</Notice>}
    </div>
  );
}
