import type { DashboardPanel, DashboardVariable } from '@fanion/contract';
import { Group, Select } from '../../ui/mantine.ts';

/** Variables that a panel can repeat by: those that offer values, and do not narrow where panels read. */
const repeatable: ReadonlySet<DashboardVariable['type']> = new Set(['query', 'list', 'flag']);

/** Chooses the variable that a row or panel repeats by, and where the copies of a panel stand. */
export function RepeatPicker({
  panel: { type, repeat },
  definitions,
  set,
}: {
  panel: DashboardPanel;
  definitions: readonly DashboardVariable[];
  set: (change: Partial<DashboardPanel>) => void;
}) {
  const names = definitions.filter((one) => repeatable.has(one.type)).map(({ name }) => name);
  if (repeat !== undefined && !names.includes(repeat.variable)) names.push(repeat.variable);
  if (names.length === 0) return null;
  return (
    <Group gap="sm" grow align="flex-start">
      <Select
        allowDeselect
        label="Repeat for each value of"
        placeholder="Shown once"
        clearable
        value={repeat?.variable ?? null}
        data={names.map((name) => ({ value: name, label: `$${name}` }))}
        onChange={(variable) => set({ repeat: variable === null ? undefined : { ...repeat, variable } })}
      />
      {repeat !== undefined && type !== 'row' && (
        <Select
          label="Copies"
          value={repeat.direction ?? 'right'}
          data={[
            { value: 'right', label: 'Beside each other' },
            { value: 'down', label: 'Below each other' },
          ]}
          onChange={(direction) => set({ repeat: { ...repeat, direction: direction === 'down' ? 'down' : 'right' } })}
        />
      )}
    </Group>
  );
}
