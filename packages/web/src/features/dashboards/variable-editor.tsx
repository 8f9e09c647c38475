import type { DashboardVariable } from '@fanion/contract';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { DialogEnd } from '../../ui/dialog-end.tsx';
import { ActionIcon, Button, Drawer, Group, Select, Stack, Switch, TagsInput, TextInput } from '../../ui/mantine.ts';
import { Panel } from '../../ui/page.tsx';

const TYPES: Readonly<Record<DashboardVariable['type'], string>> = {
  query: 'Values of a query',
  list: 'List of values',
  text: 'Free text',
  interval: 'Interval',
  project: 'Project',
  environment: 'Environment',
  flag: 'Flag',
};

/** The drawer that edits the variables of a dashboard. */
export function VariableEditor({
  opened,
  variables,
  onClose,
  onSave,
}: {
  opened: boolean;
  variables: readonly DashboardVariable[];
  onClose: () => void;
  onSave: (variables: DashboardVariable[]) => void;
}) {
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size={560} title="Variables">
      {opened && <Fields initial={variables} onClose={onClose} onSave={onSave} />}
    </Drawer>
  );
}

interface Field {
  /** A name changes with each letter, so fields are known by a number. */
  id: number;
  variable: DashboardVariable;
}

function Fields({
  initial,
  onClose,
  onSave,
}: {
  initial: readonly DashboardVariable[];
  onClose: () => void;
  onSave: (variables: DashboardVariable[]) => void;
}) {
  const [fields, setFields] = useState<Field[]>(() => initial.map((variable, id) => ({ id, variable })));
  const set = (id: number, change: Partial<DashboardVariable>) =>
    setFields((old) => old.map((one) => (one.id === id ? { id, variable: { ...one.variable, ...change } } : one)));
  const names = fields.map(({ variable }) => variable.name);
  const isValid = names.every((name, at) => /^(?!__)[A-Za-z_]\w{0,63}$/.test(name) && names.indexOf(name) === at);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave(fields.map(({ variable }) => variable));
      }}
    >
      <Stack gap="md">
        {fields.map(({ id, variable }) => (
          <VariableFields
            key={id}
            variable={variable}
            set={(change) => set(id, change)}
            onRemove={() => setFields((old) => old.filter((one) => one.id !== id))}
          />
        ))}
        <Button variant="default" leftSection={<IconPlus size={15} />} onClick={() => setFields(withFresh)}>
          Add variable
        </Button>
        <DialogEnd action="Apply" onCancel={onClose} disabled={!isValid} />
      </Stack>
    </form>
  );
}

/** Appends a new variable with an unused id and a default name. */
function withFresh(fields: readonly Field[]): Field[] {
  const id = Math.max(-1, ...fields.map((field) => field.id)) + 1;
  const query = 'spans | count by service.name | fields service.name';
  return [...fields, { id, variable: { name: `variable${fields.length + 1}`, type: 'query', query } }];
}

interface VariablePart {
  variable: DashboardVariable;
  set: (change: Partial<DashboardVariable>) => void;
}

function VariableFields({ variable, set, onRemove }: VariablePart & { onRemove: () => void }) {
  return (
    <Panel>
      <Stack gap="xs">
        <Group gap="sm" grow align="flex-end">
          <TextInput
            label="Name"
            value={variable.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <TextInput
            label="Label"
            value={variable.label ?? ''}
            onChange={(event) => set({ label: event.currentTarget.value || undefined })}
          />
        </Group>
        <Select
          label="Type"
          value={variable.type}
          data={Object.entries(TYPES).map(([value, label]) => ({ value, label }))}
          onChange={(type) => type && set({ type: type as DashboardVariable['type'], multi: undefined })}
        />
        <ValuesField variable={variable} set={set} />
        <Group justify="space-between" align="flex-end">
          <TextInput
            label="Default"
            placeholder="Any"
            value={variable.default === undefined ? '' : String(variable.default)}
            onChange={(event) => set({ default: event.currentTarget.value || undefined })}
          />
          <SeveralSwitches variable={variable} set={set} />
          <ActionIcon variant="default" aria-label={`Remove ${variable.name}`} onClick={onRemove}>
            <IconTrash size={15} />
          </ActionIcon>
        </Group>
      </Stack>
    </Panel>
  );
}

/** Where the values of a variable come from. */
function ValuesField({ variable, set }: VariablePart) {
  if (variable.type === 'query')
    return (
      <TextInput
        label="Query"
        description="Its first column has the values"
        value={variable.query ?? ''}
        onChange={(event) => set({ query: event.currentTarget.value })}
      />
    );
  if (variable.type !== 'list' && variable.type !== 'interval') return null;
  return (
    <TagsInput
      label="Values"
      description="Enter or a comma ends a value"
      value={(variable.values ?? []).map(String)}
      onChange={(values) => set({ values })}
    />
  );
}

/** Whether several of the values, or all of them, can be chosen. */
function SeveralSwitches({ variable, set }: VariablePart) {
  if (variable.type !== 'query' && variable.type !== 'list' && variable.type !== 'flag') return null;
  return (
    <>
      <Switch
        label="Several"
        checked={variable.multi ?? false}
        onChange={(event) => set({ multi: event.currentTarget.checked })}
      />
      <Switch
        label="All"
        checked={variable.include_all ?? false}
        onChange={(event) => set({ include_all: event.currentTarget.checked })}
      />
    </>
  );
}
