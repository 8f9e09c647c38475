import { useQuery } from '@tanstack/react-query';
import { ScopeLink } from '../../app/scope-links.tsx';
import { environmentsQuery, useScope } from '../../app/session.ts';
import columns from '../../ui/columns.module.css';
import { MultiSelect, Select, Stack, Switch, Textarea, TextInput } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import {
  ColumnsForm,
  type DraftForm,
  type DraftFormProps,
  SaveDraft,
  useDraftForm,
} from '../../ui/resource/draft-form.tsx';
import { Notice } from '../../ui/states.tsx';
import { flagsQuery } from '../flags/queries.ts';
import { metricsQuery } from '../judging/queries.ts';
import { AudienceFields } from './audience-fields.tsx';
import { type ExperimentDraft, problemsOf, withFlag } from './experiment-draft.ts';
import classes from './experiments.module.css';
import { PowerPanel } from './power-panel.tsx';
import { VariantShares } from './variant-share.tsx';

type Fields = Omit<DraftForm<ExperimentDraft>, 'form'>;

/** The editor of an experiment that has not started, with its power beside it. */
export function ExperimentForm({
  initial,
  isNew,
  action,
  onSave,
}: DraftFormProps<ExperimentDraft> & { isNew: boolean }) {
  const { form, ...fields } = useDraftForm({ initial, check: problemsOf, onSave });
  const { draft, text, set } = fields;
  return (
    <ColumnsForm form={form} beside="400px">
      <div className={columns.column}>
        <Panel title="What you want to know">
          <Stack gap="sm">
            <TextInput label="Name" placeholder="Checkout button" {...text('name')} />
            {isNew && (
              <TextInput
                label="Key"
                description="Used in files and the API. It cannot change later. By default, it is derived from the name."
                {...text('key')}
              />
            )}
            <Textarea
              label="Hypothesis"
              placeholder="A green button leads to more purchases, because it is easier to see"
              {...text('hypothesis')}
            />
          </Stack>
        </Panel>
        <Panel title="Who gets what">
          <Stack gap="sm">
            <Place {...fields} />
            <Variants {...fields} />
            <Traffic {...fields} />
            <AudienceFields
              audience={draft.audience}
              problem={fields.problems.audience}
              onChange={(audience) => set({ audience })}
            />
          </Stack>
        </Panel>
        <Panel title="What is measured">
          <Stack gap="sm">
            <Metrics {...fields} />
          </Stack>
        </Panel>
        <Panel title="How it is judged">
          <Stack gap="sm">
            <Analysis {...fields} />
          </Stack>
        </Panel>
        <SaveDraft form={form} action={action} />
      </div>
      <div className={columns.column}>
        <PowerPanel draft={draft} onEffect={(minimal_effect) => set({ minimal_effect })} />
      </div>
    </ColumnsForm>
  );
}

function Place({ draft, problems, set }: Fields) {
  const { ws, project } = useScope();
  const { data: flags = [] } = useQuery(flagsQuery(ws, project, false));
  const { data: environments = [] } = useQuery(environmentsQuery(ws, project));
  return (
    <div className={columns.row}>
      <Select
        allowDeselect
        label="Flag"
        searchable
        placeholder="Choose a flag"
        data={flags.map(({ key }) => key)}
        value={draft.flag === '' ? null : draft.flag}
        error={problems.flag}
        onChange={(key) => {
          const flag = flags.find((one) => one.key === key);
          if (flag !== undefined) set(withFlag(draft, flag));
        }}
      />
      <Select
        allowDeselect
        label="Environment"
        placeholder="Choose an environment"
        data={environments.map(({ key, name }) => ({ value: key, label: name }))}
        value={draft.environment === '' ? null : draft.environment}
        error={problems.environment}
        onChange={(environment) => environment !== null && set({ environment })}
      />
    </div>
  );
}

function Variants({ draft, problems, set }: Fields) {
  if (draft.flag === '') return <span className="dim">Choose a flag to divide its variants.</span>;
  const variants = draft.variants.map((one) => ({ ...one }));
  return (
    <VariantShares
      variants={variants}
      onChange={(next) => set({ variants: next })}
      beside={(variant) => (
        <label className={classes.control}>
          <input
            type="radio"
            name="control"
            checked={draft.control === variant}
            onChange={() => set({ control: variant })}
          />{' '}
          control
        </label>
      )}
    >
      <span className="dim">The others are compared with the control. A variant with 0% does not take part.</span>
      {problems.variants !== undefined && <Notice kind="error">{problems.variants}.</Notice>}
      {problems.control !== undefined && <Notice kind="error">{problems.control}.</Notice>}
    </VariantShares>
  );
}

function Traffic({ draft, text }: Fields) {
  const percent = <span className="dim">%</span>;
  return (
    <>
      <div className={columns.row}>
        <TextInput
          label="Units that take part"
          description="The rest gets the control"
          inputMode="decimal"
          rightSection={percent}
          {...text('share')}
        />
        <TextInput
          label="Divide by attribute"
          description="Default: targetingKey"
          placeholder="company"
          {...text('bucket_by')}
        />
      </div>
      <div className={columns.row}>
        <TextInput
          label="Layer"
          description="Experiments in one layer never share a unit"
          placeholder="none"
          {...text('layer')}
        />
        {draft.layer.trim() !== '' && (
          <TextInput
            label="Begins at"
            description="Its slice of the layer"
            inputMode="decimal"
            rightSection={percent}
            {...text('start')}
          />
        )}
      </div>
    </>
  );
}

function Metrics({ draft, problems, set }: Fields) {
  const scope = useScope();
  const { data: metrics = [] } = useQuery(metricsQuery(scope.ws, scope.project));
  // A draft may name metrics by key; the list is by id.
  const idOf = (ref: string) => metrics.find(({ id, key }) => id === ref || key === ref)?.id ?? ref;
  const input = (role: 'goals' | 'secondary' | 'guardrails', label: string, description: string) => (
    <MultiSelect
      label={label}
      description={description}
      searchable
      data={metrics.map(({ id, name }) => ({ value: id, label: name }))}
      value={draft[role].map(idOf)}
      error={problems[role]}
      onChange={(refs) => set({ [role]: refs })}
    />
  );
  return (
    <>
      {input('goals', 'Metrics that decide', 'One is best: each further one needs more units for the same certainty.')}
      {input('guardrails', 'Metrics that must not get worse', 'They warn, and do not decide.')}
      {input('secondary', 'Also measured', 'They help to understand, and do not decide.')}
      <ScopeLink to="/w/$ws/$project/flag-metrics/new">Create a metric from any query over your telemetry</ScopeLink>
    </>
  );
}

function Analysis({ draft, set, text, choice, toggle }: Fields) {
  return (
    <>
      <Select
        label="When you will look"
        data={[
          { value: 'sequential', label: 'Whenever I like' },
          { value: 'fixed', label: 'Once, at a time that I plan now' },
          { value: 'bayesian', label: 'Whenever I like, by chance to win (Bayesian)' },
        ]}
        description={
          draft.engine === 'bayesian'
            ? 'Gives the chance to win and the expected loss. It does not control the errors of stopping early.'
            : draft.sequential
              ? 'A verdict holds however often you look. It needs more units than one look.'
              : 'Needs the fewest units. If you look 20 times instead, 25% of experiments without an effect show one.'
        }
        value={draft.engine === 'bayesian' ? 'bayesian' : draft.sequential ? 'sequential' : 'fixed'}
        onChange={(look) =>
          set({ engine: look === 'bayesian' ? 'bayesian' : 'frequentist', sequential: look !== 'fixed' })
        }
      />
      <div className={columns.row}>
        <TextInput
          label="Smallest effect worth finding"
          inputMode="decimal"
          rightSection={<span className="dim">%</span>}
          {...text('minimal_effect')}
        />
        <TextInput
          label="Accepted error"
          description="Without an effect"
          inputMode="decimal"
          rightSection={<span className="dim">%</span>}
          {...text('alpha')}
        />
        {draft.goals.length > 1 && (
          <Select
            label="Several goals"
            description="Correction"
            data={[
              { value: 'holm', label: 'Holm' },
              { value: 'benjamini_hochberg', label: 'Benjamini–Hochberg' },
              { value: 'none', label: 'None' },
            ]}
            {...choice('correction')}
          />
        )}
      </div>
      <Switch
        label="Use what units did before"
        description="Narrows intervals for metrics that join by an attribute (CUPED)"
        {...toggle('cuped')}
      />
      {draft.cuped && <TextInput label="Days before the exposure" inputMode="numeric" {...text('cuped_days')} />}
    </>
  );
}
