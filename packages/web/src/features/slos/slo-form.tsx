import { useMemo } from 'react';
import { ChooseOrWrite, useChoosing } from '../../alerting/choose-or-write.tsx';
import columns from '../../ui/columns.module.css';
import { Select, Stack, Switch, Textarea, TextInput, useDebouncedValue } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';
import {
  ColumnsForm,
  type DraftForm,
  type DraftFormProps,
  SaveDraft,
  useDraftForm,
} from '../../ui/resource/draft-form.tsx';
import { DiagnosticNotices } from '../explore/diagnostic-notices.tsx';
import { IndicatorFields } from './indicator-fields.tsx';
import { ObjectiveSuggestion } from './objective-suggestion.tsx';
import { indicatorOf, OBJECTIVES, objectiveOf, problemsOf, type SloDraft, sliderPlace, WINDOWS } from './slo-draft.ts';
import { SloPreview } from './slo-preview.tsx';
import { sloSymptomOf, withSloSymptom } from './slo-symptom.ts';
import { SloSymptomFields } from './slo-symptom-fields.tsx';
import { allowedText } from './slo-words.ts';
import classes from './slos.module.css';

const KINDS = [
  { value: 'events', label: 'Events that meet a condition' },
  { value: 'ratio', label: 'A count of good events among all' },
  { value: 'slices', label: 'Slices of time with a good value' },
];
const HELP = {
  events: 'For requests in spans or logs: each row of the query is an event.',
  ratio: 'For counters in metrics: both queries return one number, without groups.',
  slices:
    'For latency, freshness or utilization: the query returns one number, which is judged for each slice of time.',
} as const;
const month = 30 * 86_400;
/** How long typing rests before the past is counted; milliseconds. */
const restMs = 500;

type Fields = Omit<DraftForm<SloDraft>, 'form'>;

/** The editor of an SLO, with good and bad events of the last day beside it. */
export function SloForm({
  initial,
  environment,
  action,
  onSave,
}: DraftFormProps<SloDraft> & { environment: string | undefined }) {
  const { form, ...fields } = useDraftForm({ initial, check: problemsOf, onSave });
  const { draft, problems, set, choice } = fields;
  const { kind, source, condition } = draft;
  const symptom = useMemo(() => sloSymptomOf({ kind, source, condition }), [kind, source, condition]);
  const isEmpty = kind === 'events' && source.trim() === '' && condition.trim() === '';
  const choosing = useChoosing(symptom !== null || isEmpty);
  const { chooses, setChooses } = choosing;
  const write = (change: Partial<SloDraft>) => {
    setChooses(false);
    set(change);
  };
  const [settled] = useDebouncedValue(draft, restMs);
  const indicator = useMemo(() => indicatorOf(settled), [settled]);
  return (
    <ColumnsForm form={form} beside="420px">
      <div className={columns.column}>
        <Panel title="What is good" actions={<ChooseOrWrite label="How to say what is good" choosing={choosing} />}>
          <Stack gap="sm">
            {chooses ? (
              <SloSymptomFields
                symptom={symptom}
                environment={environment}
                onChange={(next) => set(withSloSymptom(draft, next))}
              />
            ) : (
              <Select label="Count" description={HELP[draft.kind]} data={KINDS} {...choice('kind')} />
            )}
            <IndicatorFields draft={draft} problems={problems} set={write} />
            <DiagnosticNotices error={form.error} />
          </Stack>
        </Panel>
        <SloPreview indicator={indicator} objective={objectiveOf(settled)} environment={environment} />
      </div>
      <div className={columns.column}>
        <ObjectivePanel indicator={indicator} environment={environment} {...fields} />
        <Alerts {...fields} />
        <SaveDraft form={form} action={action} />
      </div>
    </ColumnsForm>
  );
}

function ObjectivePanel({
  indicator,
  environment,
  draft,
  problems,
  set,
  text,
  choice,
}: Fields & { indicator: ReturnType<typeof indicatorOf>; environment: string | undefined }) {
  return (
    <Panel title="Objective">
      <Stack gap="sm">
        <TextInput label="Name" placeholder="Checkout answers" {...text('name')} />
        <Objective draft={draft} error={problems.objective} set={set} />
        <ObjectiveSuggestion
          draft={draft}
          indicator={indicator}
          environment={environment}
          onTake={(objective) => set({ objective })}
        />
        <Select
          label="Window"
          data={Object.entries(WINDOWS).map(([value, label]) => ({ value, label }))}
          {...choice('window')}
        />
        {draft.window in { week: 1, month: 1, quarter: 1 } && (
          <TextInput
            label="Time zone"
            description="In which its days begin"
            placeholder="Europe/Berlin"
            {...text('time_zone')}
          />
        )}
        <Textarea label="Description" {...text('description')} />
      </Stack>
    </Panel>
  );
}

function Alerts({ draft, text, toggle }: Fields) {
  return (
    <Panel title="Alerts">
      <Stack gap="sm">
        <Switch
          label="Alert while the budget is spent too fast"
          description="Pages for 2% in an hour or 5% in 6 hours, tickets for 10% in one day or three (of 30 days)"
          {...toggle('burn_alerts')}
        />
        {draft.burn_alerts && draft.kind !== 'slices' && (
          <TextInput
            label="Fewest events"
            description="A window with fewer does not alert"
            inputMode="numeric"
            {...text('min_events')}
          />
        )}
      </Stack>
    </Panel>
  );
}

/** The objective by slider or by number, and what it allows. */
function Objective({
  draft,
  error,
  set,
}: {
  draft: SloDraft;
  error: string | undefined;
  set: (change: Partial<SloDraft>) => void;
}) {
  const objective = objectiveOf(draft);
  return (
    <div className={classes.field}>
      <TextInput
        label="Objective"
        inputMode="decimal"
        rightSection={<span className="dim">%</span>}
        value={draft.objective}
        error={error}
        onChange={(event) => set({ objective: event.currentTarget.value })}
      />
      <input
        type="range"
        className={classes.slider}
        aria-label="Objective by slider"
        aria-valuetext={`${draft.objective}%`}
        min={0}
        max={OBJECTIVES.length - 1}
        step={1}
        value={sliderPlace(draft.objective)}
        onChange={(event) => set({ objective: String(OBJECTIVES[Number(event.currentTarget.value)]) })}
      />
      <span className="dim" role="status">
        {objective === undefined
          ? 'A share of good events: more than 0% and less than 100%.'
          : `Allows ${allowedText(objective, month)} of total failure a month (30 days).`}
      </span>
    </div>
  );
}
