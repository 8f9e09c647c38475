import { useState } from 'react';
import { Autocomplete, Button, Group, Select, Stack } from '../../ui/mantine.ts';
import { type Condition, conditionOf, OPERATORS } from './chip-rules.ts';
import { IN_PLACE, type PartFormProps, useFieldTypes, useFieldValues } from './use-names.ts';

/** Builds a condition without OQL: field, operator and value. */
export function FilterForm({ signal, hints, initial, onDone }: PartFormProps<Condition>) {
  const [field, setField] = useState(initial?.field ?? '');
  const [operator, setOperator] = useState(initial?.operator ?? '==');
  const [value, setValue] = useState(initial?.value ?? '');
  const types = useFieldTypes(signal, hints);
  const values = useFieldValues(field, hints);
  const ready = field.trim() !== '' && (operator === 'exists' || value.trim() !== '');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const name = field.trim();
        // A number in a field of texts is a text, too.
        const isText = types.get(name) === 'string' || (initial?.field === name && initial.isText);
        if (ready) onDone(conditionOf({ field: name, operator, value: value.trim(), isText }));
      }}
    >
      <Stack gap="sm">
        <Autocomplete
          comboboxProps={IN_PLACE}
          label="Field"
          data={[...types.keys()]}
          limit={50}
          data-autofocus
          value={field}
          onChange={setField}
        />
        <Select
          comboboxProps={IN_PLACE}
          label="Operator"
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
            {initial === undefined ? 'Add filter' : 'Apply'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
