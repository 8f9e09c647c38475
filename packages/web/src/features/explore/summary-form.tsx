import { useState } from 'react';
import type { FieldHints } from '../../telemetry/field-hints.ts';
import { fieldPath } from '../../telemetry/filters.ts';
import { Autocomplete, Button, Group, Select, Stack, Switch, TagsInput } from '../../ui/mantine.ts';
import { MEASURES, summaryStage } from './builder.ts';
import { IN_PLACE, useFieldNames } from './use-names.ts';

/** Builds a `stats` stage without OQL: measure, group keys, and whether over time. */
export function SummaryForm({
  signal,
  hints,
  onAdd,
}: {
  signal: string;
  hints: FieldHints;
  onAdd: (stage: string) => void;
}) {
  const [measure, setMeasure] = useState('count');
  const [field, setField] = useState(signal === 'spans' || signal === 'traces' ? 'duration' : '');
  const [by, setBy] = useState<string[]>([]);
  const [overTime, setOverTime] = useState(true);
  const names = useFieldNames(signal, hints);
  const ofField = MEASURES[measure]?.of === 'field';
  const ready = !ofField || field.trim() !== '';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) onAdd(summaryStage({ measure, field: fieldPath(field.trim()), by: by.map(fieldPath), overTime }));
      }}
    >
      <Stack gap="sm">
        <Select
          comboboxProps={IN_PLACE}
          label="Measure"
          allowDeselect={false}
          data={Object.entries(MEASURES)
            .filter(([id]) => id !== 'errors' || signal === 'spans')
            .map(([value, { label }]) => ({ value, label }))}
          data-autofocus
          value={measure}
          onChange={(next) => next !== null && setMeasure(next)}
        />
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
            Summarize
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
