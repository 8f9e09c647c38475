import { useState } from 'react';
import type { FieldHints } from '../../telemetry/field-hints.ts';
import { fieldPath } from '../../telemetry/filters.ts';
import { quote } from '../../telemetry/oql.ts';
import { Autocomplete, Button, Group, Select, Stack } from '../../ui/mantine.ts';
import { IN_PLACE, useFieldNames, useFieldValues } from './use-names.ts';

const OPERATORS = [
  { value: '==', label: 'is' },
  { value: '!=', label: 'is not' },
  { value: '>=', label: 'is at least' },
  { value: '<=', label: 'is at most' },
  { value: 'contains', label: 'contains' },
  { value: 'startswith', label: 'starts with' },
  { value: 'exists', label: 'exists' },
];

/** Builds a condition without OQL: field, operator and value. */
export function FilterForm({
  signal,
  hints,
  onAdd,
}: {
  signal: string;
  hints: FieldHints;
  onAdd: (condition: string) => void;
}) {
  const [field, setField] = useState('');
  const [operator, setOperator] = useState('==');
  const [value, setValue] = useState('');
  const names = useFieldNames(signal, hints);
  const values = useFieldValues(field, hints);
  const ready = field.trim() !== '' && (operator === 'exists' || value.trim() !== '');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) onAdd(conditionOf(field.trim(), operator, value.trim()));
      }}
    >
      <Stack gap="sm">
        <Autocomplete
          comboboxProps={IN_PLACE}
          label="Field"
          data={names}
          limit={50}
          data-autofocus
          value={field}
          onChange={setField}
        />
        <Select
          comboboxProps={IN_PLACE}
          label="Operator"
          allowDeselect={false}
          data={OPERATORS}
          value={operator}
          onChange={(next) => next !== null && setOperator(next)}
        />
        {operator !== 'exists' && (
          <Autocomplete
            comboboxProps={IN_PLACE}
            label="Value"
            data={values}
            limit={50}
            value={value}
            onChange={setValue}
          />
        )}
        <Group justify="flex-end">
          <Button type="submit" disabled={!ready}>
            Add filter
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Fields whose values are OQL keywords. */
const WORDS = new Set(['status', 'kind', 'severity']);
/** Numbers, durations, sizes and booleans are written without quotes. */
const PLAIN = /^(-?\d+(\.\d+)?(ns|us|ms|s|m|h|d|kb|mb|gb|b)?|true|false|null)$/i;

export function conditionOf(field: string, operator: string, value: string): string {
  const path = fieldPath(field);
  if (operator === 'exists') return `${path} != null`;
  const text = operator === 'contains' || operator === 'startswith';
  const plain = !text && (PLAIN.test(value) || (WORDS.has(field) && /^\w+$/.test(value)));
  return `${path} ${operator} ${plain ? value : quote(value)}`;
}
