import {
  type DashboardPanel,
  type DashboardVariable,
  listFlags,
  listSlos,
  queryPanelTypes,
  type VariableValues,
} from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listQuery } from '../../api/queries.ts';
import { useScope } from '../../app/session.ts';
import { useEnvironment } from '../../app/time-range.ts';
import { DialogEnd } from '../../ui/dialog-end.tsx';
import { Drawer, Group, Select, Stack, Switch, Textarea, TextInput } from '../../ui/mantine.ts';
import type { TimeRange } from '../../ui/time/time-range.ts';
import { experimentsQuery } from '../experiments/queries.ts';
import classes from './dashboards.module.css';
import { PanelBody } from './panel-body.tsx';
import { usePanelData } from './panel-data.ts';
import { PanelQuery } from './panel-query.tsx';
import type { DashboardPlace } from './queries.ts';
import { RepeatPicker } from './repeat-picker.tsx';
import { SplitPicker } from './split-picker.tsx';
import { canSplit, splitBy } from './splits.ts';
import { parseThresholds, printThresholds } from './thresholds.ts';

export const TYPE_NAMES: Readonly<Record<DashboardPanel['type'], string>> = {
  time_series: 'Time series',
  stat: 'Number',
  gauge: 'Gauge',
  bar: 'Bars',
  table: 'Table',
  heat_map: 'Heat map',
  logs: 'Logs',
  traces: 'Traces',
  flame_graph: 'Flame graph',
  service_map: 'Service map',
  slo: 'SLO',
  flag_rollout: 'Flag rollout',
  experiment: 'Experiment',
  text: 'Text',
  row: 'Row',
};

const DRAWN_AS: Readonly<Record<NonNullable<DashboardPanel['draw']>, string>> = {
  lines: 'Lines',
  area: 'Area',
  bars: 'Bars',
  points: 'Points',
};

const withQuery: ReadonlySet<string> = new Set(queryPanelTypes);

interface About {
  definitions: readonly DashboardVariable[];
  values: VariableValues;
  range: TimeRange;
  place: DashboardPlace;
  onClose: () => void;
  onSave: (panel: DashboardPanel) => void;
}

/** The drawer that edits one panel, with its answer above. */
export function PanelEditor({ panel, ...about }: About & { panel: DashboardPanel | null }) {
  return (
    <Drawer opened={panel !== null} onClose={about.onClose} position="right" size={760} title="Edit panel">
      {panel && <Fields key={panel.id} initial={panel} {...about} />}
    </Drawer>
  );
}

function Fields({ initial, definitions, values, range, place, onClose, onSave }: About & { initial: DashboardPanel }) {
  const [panel, setPanel] = useState(initial);
  const [draft, setDraft] = useState(initial.query ?? '');
  const [thresholds, setThresholds] = useState(printThresholds(initial.thresholds));
  const [round, setRound] = useState(0);
  const states = usePanelData({ place, panels: [panel], definitions, values, range, round, maxAge: undefined });
  const set = (change: Partial<DashboardPanel>) => setPanel((old) => ({ ...old, ...change }));
  const parsed = parseThresholds(thresholds);
  const run = () => {
    set({ query: draft });
    setRound((old) => old + 1);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave({
          ...splitBy(panel, panel.split?.flag),
          ...(withQuery.has(panel.type) && { query: draft }),
          ...(panel.type === 'text' && { text: panel.text ?? '' }),
          ...(parsed !== undefined && { thresholds: parsed }),
        });
      }}
    >
      <Stack gap="sm">
        {panel.type !== 'row' && (
          <section className={classes.preview} aria-label="Preview">
            <PanelBody panel={panel} state={states.get(panel.id)} place={place} />
          </section>
        )}
        <Heading panel={panel} set={set} />
        {withQuery.has(panel.type) && (
          <PanelQuery panel={panel} set={set} draft={draft} onChange={setDraft} onRun={run} />
        )}
        <Subject panel={panel} set={set} />
        {withQuery.has(panel.type) && (
          <UnitAndThresholds panel={panel} set={set} thresholds={thresholds} onThresholds={setThresholds} />
        )}
        {canSplit(panel) && (
          <SplitPicker
            value={panel.split?.flag}
            definitions={definitions}
            onChange={(flag) => setPanel((old) => splitBy(old, flag))}
          />
        )}
        <RepeatPicker panel={panel} definitions={definitions} set={set} />
        {panel.type === 'time_series' && <SeriesLook panel={panel} set={set} />}
        {panel.type !== 'row' && (
          <TextInput
            label="Description"
            value={panel.description}
            maxLength={2000}
            onChange={(event) => set({ description: event.currentTarget.value })}
          />
        )}
        <DialogEnd action="Apply" onCancel={onClose} disabled={parsed === undefined} />
      </Stack>
    </form>
  );
}

/** The unit of a panel, and the text of its thresholds, which may be invalid. */
function UnitAndThresholds({
  panel,
  set,
  thresholds,
  onThresholds,
}: Part & { thresholds: string; onThresholds: (text: string) => void }) {
  return (
    <Group gap="sm" grow align="flex-start">
      <TextInput
        label="Unit"
        description="s, ms, By, %, 1 …"
        value={panel.unit ?? ''}
        maxLength={32}
        onChange={(event) => set({ unit: event.currentTarget.value || undefined })}
      />
      <TextInput
        label="Thresholds"
        description="warning 0.5, error 1"
        value={thresholds}
        error={
          parseThresholds(thresholds) === undefined &&
          'Write a colour (ok, warning, error, neutral) and a number for each'
        }
        onChange={(event) => onThresholds(event.currentTarget.value)}
      />
    </Group>
  );
}

interface Part {
  panel: DashboardPanel;
  set: (change: Partial<DashboardPanel>) => void;
}

function Heading({ panel, set }: Part) {
  return (
    <Group gap="sm" grow>
      <TextInput
        label="Title"
        value={panel.title}
        maxLength={200}
        data-autofocus
        onChange={(event) => set({ title: event.currentTarget.value })}
      />
      <Select
        label="Shown as"
        value={panel.type}
        data={Object.entries(TYPE_NAMES).map(([value, label]) => ({ value, label }))}
        onChange={(type) => type && set({ type: type as DashboardPanel['type'] })}
      />
    </Group>
  );
}

/** What a panel without a query shows. */
function Subject({ panel, set }: Part) {
  switch (panel.type) {
    case 'text':
      return (
        <Textarea
          label="Text"
          description="Markdown"
          minRows={6}
          value={panel.text ?? ''}
          onChange={(event) => set({ text: event.currentTarget.value })}
        />
      );
    case 'slo':
      return <SloPicker value={panel.slo} onChange={(slo) => set({ slo })} />;
    case 'flag_rollout':
      return <FlagPicker value={panel.flag?.key} onChange={(flag) => set({ flag })} />;
    case 'experiment':
      return <ExperimentPicker value={panel.experiment} onChange={(experiment) => set({ experiment })} />;
    default:
      return null;
  }
}

function SeriesLook({ panel, set }: Part) {
  return (
    <Group gap="sm" grow align="flex-end">
      <Select
        label="Drawn as"
        value={panel.draw ?? 'lines'}
        data={Object.entries(DRAWN_AS).map(([value, label]) => ({ value, label }))}
        onChange={(draw) => draw && set({ draw: draw as keyof typeof DRAWN_AS })}
      />
      <Select
        label="Legend"
        value={panel.legend ?? 'list'}
        data={[
          { value: 'list', label: 'Below the chart' },
          { value: 'table', label: 'Table' },
          { value: 'hidden', label: 'Hidden' },
        ]}
        onChange={(legend) => legend && set({ legend: legend as NonNullable<DashboardPanel['legend']> })}
      />
      <Switch
        label="Stacked"
        checked={panel.stacked ?? false}
        onChange={(event) => set({ stacked: event.currentTarget.checked })}
      />
    </Group>
  );
}

function SloPicker({ value, onChange }: { value: string | undefined; onChange: (id: string | undefined) => void }) {
  const { ws } = useScope();
  const { data = [] } = useQuery(listQuery(listSlos, { params: { ws } }));
  return (
    <Select
      allowDeselect
      label="SLO"
      searchable
      value={value ?? null}
      data={data.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(id) => onChange(id ?? undefined)}
    />
  );
}

function ExperimentPicker({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (id: string | undefined) => void;
}) {
  const { data = [] } = useQuery(experimentsQuery(useScope()));
  return (
    <Select
      allowDeselect
      label="Experiment"
      searchable
      value={value ?? null}
      data={data.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(id) => onChange(id ?? undefined)}
    />
  );
}

function FlagPicker({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (flag: DashboardPanel['flag']) => void;
}) {
  const { ws, project } = useScope();
  const environment = useEnvironment() ?? 'production';
  const { data = [] } = useQuery(listQuery(listFlags, { params: { ws, p: project } }));
  return (
    <Select
      allowDeselect
      label="Flag"
      searchable
      value={value ?? null}
      data={data.map(({ key }) => key)}
      onChange={(key) => onChange(key === null ? undefined : { project, environment, key })}
    />
  );
}
