import { useState } from 'react';
import { Autocomplete, Button, Group, Select, Stack, Switch, TagsInput } from '../../ui/mantine.ts';
import { MEASURES, type Summary } from './builder.ts';
import { stageText } from './chip-rules.ts';
import { IN_PLACE, type PartFormProps, useFieldNames } from './use-names.ts';

/** What is measured of a signal, unless something else is chosen. */
const MEASURED: Readonly<Record<string, string>> = { spans: 'duration', traces: 'duration', metric: 'value' };

/** Builds a `stats` stage without OQL: measure, group keys, and whether over time. */
export function SummaryForm({ signal, hints, initial, onDone }: PartFormProps<Summary>) {
  const [measure, setMeasure] = useState(initial?.measure ?? 'count');
  const [field, setField] = useState(initial?.field || (MEASURED[signal] ?? ''));
  const [by, setBy] = useState<string[]>([...(initial?.by ?? [])]);
  const [overTime, setOverTime] = useState(initial?.overTime ?? true);
  const names = useFieldNames(signal, hints);
  const ofField = MEASURES[measure]?.of === 'field';
  const ready = !ofField || field.trim() !== '';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) onDone(stageText({ measure, field: field.trim(), by, overTime }));
      }}
    >
      <Stack gap="sm">
        <MeasureSelect signal={signal} value={measure} onChange={setMeasure} />
        {ofField && (
          <Autocomplete
            comboboxProps={IN_PLACE}
            label="Field"
            data={names}
            limit={50}
            value={field}
            onChange={setField}
          />
        )}
        <TagsInput
          comboboxProps={IN_PLACE}
          label="By"
          placeholder={by.length === 0 ? 'Any fields' : ''}
          data={names}
          value={by}
          onChange={setBy}
        />
        <Switch label="Over time" checked={overTime} onChange={(event) => setOverTime(event.currentTarget.checked)} />
        <Group justify="flex-end">
          <Button type="submit" disabled={!ready}>
            {initial === undefined ? 'Summarize' : 'Apply'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function MeasureSelect({
  signal,
  value,
  onChange,
}: {
  signal: string;
  value: string;
  onChange: (measure: string) => void;
}) {
  return (
    <Select
      comboboxProps={IN_PLACE}
      label="Measure"
      data={Object.entries(MEASURES)
        .filter(([id]) => id !== 'errors' || signal === 'spans')
        .map(([id, { label }]) => ({ value: id, label }))}
      data-autofocus
      value={value}
      onChange={(next) => next !== null && onChange(next)}
    />
  );
}
