import type { DashboardVariable } from '@fanion/contract';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { ActionIcon, Button, Drawer, Group, Select, Stack, Switch, TextInput } from '../../ui/mantine.ts';
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
  const [variables, setVariables] = useState([...initial]);
  const set = (at: number, change: Partial<DashboardVariable>) =>
    setVariables((old) => old.map((one, index) => (index === at ? { ...one, ...change } : one)));
  const names = variables.map(({ name }) => name);
  const isValid = names.every((name, at) => /^(?!__)[A-Za-z_]\w{0,63}$/.test(name) && names.indexOf(name) === at);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave(variables);
      }}
    >
      <Stack gap="md">
        {variables.map((variable, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a name changes with each letter
          <Panel key={at}>
            <Stack gap="xs">
              <Group gap="sm" grow align="flex-end">
                <TextInput
                  label="Name"
                  value={variable.name}
                  onChange={(event) => set(at, { name: event.currentTarget.value })}
                />
                <TextInput
                  label="Label"
                  value={variable.label ?? ''}
                  onChange={(event) => set(at, { label: event.currentTarget.value || undefined })}
                />
              </Group>
              <Select
                label="Type"
                allowDeselect={false}
                value={variable.type}
                data={Object.entries(TYPES).map(([value, label]) => ({ value, label }))}
                onChange={(type) => type && set(at, { type: type as DashboardVariable['type'], multi: undefined })}
              />
              {variable.type === 'query' && (
                <TextInput
                  label="Query"
                  description="Its first column has the values"
                  value={variable.query ?? ''}
                  onChange={(event) => set(at, { query: event.currentTarget.value })}
                />
              )}
              {(variable.type === 'list' || variable.type === 'interval') && (
                <TextInput
                  label="Values"
                  description="Separated by commas"
                  value={(variable.values ?? []).join(', ')}
                  onChange={(event) =>
                    set(at, {
                      values: event.currentTarget.value
                        .split(/,\s*/)
                        .filter((text) => text !== '')
                        .map((text) => text.trim()),
                    })
                  }
                />
              )}
              <Group justify="space-between" align="flex-end">
                <TextInput
                  label="Default"
                  placeholder="Any"
                  value={variable.default === undefined ? '' : String(variable.default)}
                  onChange={(event) => set(at, { default: event.currentTarget.value || undefined })}
                />
                {(variable.type === 'query' || variable.type === 'list' || variable.type === 'flag') && (
                  <>
                    <Switch
                      label="Several"
                      checked={variable.multi ?? false}
                      onChange={(event) => set(at, { multi: event.currentTarget.checked })}
                    />
                    <Switch
                      label="All"
                      checked={variable.include_all ?? false}
                      onChange={(event) => set(at, { include_all: event.currentTarget.checked })}
                    />
                  </>
                )}
                <ActionIcon
                  variant="default"
                  aria-label={`Remove ${variable.name}`}
                  onClick={() => setVariables((old) => old.filter((_, index) => index !== at))}
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
            setVariables((old) => [
              ...old,
              {
                name: `variable${old.length + 1}`,
                type: 'query',
                query: 'spans | count by service.name | fields service.name',
              },
            ])
          }
        >
          Add variable
        </Button>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!isValid}>
            Apply
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
