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

function Fields({
  initial,
  onClose,
  onSave,
}: {
  initial: readonly DashboardVariable[];
  onClose: () => void;
  onSave: (variables: DashboardVariable[]) => void;
}) {
  // A name changes with each letter, so fields are known by a number.
  const [fields, setFields] = useState(() => initial.map((variable, id) => ({ id, variable })));
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
          <Panel key={id}>
            <Stack gap="xs">
              <Group gap="sm" grow align="flex-end">
                <TextInput
                  label="Name"
                  value={variable.name}
                  onChange={(event) => set(id, { name: event.currentTarget.value })}
                />
                <TextInput
                  label="Label"
                  value={variable.label ?? ''}
                  onChange={(event) => set(id, { label: event.currentTarget.value || undefined })}
                />
              </Group>
              <Select
                label="Type"
                allowDeselect={false}
                value={variable.type}
                data={Object.entries(TYPES).map(([value, label]) => ({ value, label }))}
                onChange={(type) => type && set(id, { type: type as DashboardVariable['type'], multi: undefined })}
              />
              {variable.type === 'query' && (
                <TextInput
                  label="Query"
                  description="Its first column has the values"
                  value={variable.query ?? ''}
                  onChange={(event) => set(id, { query: event.currentTarget.value })}
                />
              )}
              {(variable.type === 'list' || variable.type === 'interval') && (
                <TagsInput
                  label="Values"
                  description="Enter or a comma ends a value"
                  value={(variable.values ?? []).map(String)}
                  onChange={(values) => set(id, { values })}
                />
              )}
              <Group justify="space-between" align="flex-end">
                <TextInput
                  label="Default"
                  placeholder="Any"
                  value={variable.default === undefined ? '' : String(variable.default)}
                  onChange={(event) => set(id, { default: event.currentTarget.value || undefined })}
                />
                {(variable.type === 'query' || variable.type === 'list' || variable.type === 'flag') && (
                  <>
                    <Switch
                      label="Several"
                      checked={variable.multi ?? false}
                      onChange={(event) => set(id, { multi: event.currentTarget.checked })}
                    />
                    <Switch
                      label="All"
                      checked={variable.include_all ?? false}
                      onChange={(event) => set(id, { include_all: event.currentTarget.checked })}
                    />
                  </>
                )}
                <ActionIcon
                  variant="default"
                  aria-label={`Remove ${variable.name}`}
                  onClick={() => setFields((old) => old.filter((one) => one.id !== id))}
                >
                  <IconTrash size={15} />
                </ActionIcon>
              </Group>
            </Stack>
          </Panel>
        ))}
        <Button
          variant="default"
          leftSection={<IconPlus size={15} />}
          onClick={() =>
            setFields((old) => [
              ...old,
              {
                id: Math.max(-1, ...old.map(({ id }) => id)) + 1,
                variable: {
                  name: `variable${old.length + 1}`,
                  type: 'query',
                  query: 'spans | count by service.name | fields service.name',
                },
              },
            ])
          }
        >
          Add variable
        </Button>
        <DialogEnd action="Apply" onCancel={onClose} disabled={!isValid} />
      </Stack>
    </form>
  );
}
