import { IconFilterPlus, IconSum, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { FieldHints } from '../../telemetry/field-hints.ts';
import { Button, Group, Popover, Select, Stack, TextInput, UnstyledButton } from '../../ui/mantine.ts';
import { addCondition, type Chip, summarise, takeApart } from './builder.ts';
import { FilterForm } from './filter-form.tsx';
import classes from './query-chips.module.css';
import { SummaryForm } from './summary-form.tsx';

const SIGNALS = ['spans', 'logs', 'traces', 'events'];

/** The query as chips: source, conditions and stages. Editing a chip edits the text above and runs it. */
export function QueryChips({
  query,
  hints,
  onChange,
}: {
  query: string;
  hints: FieldHints;
  onChange: (query: string) => void;
}) {
  const built = takeApart(query.trim() === '' ? 'spans' : query);
  if (!built) return null;
  const text = query.trim() === '' ? 'spans' : query;
  return (
    <ul className={classes.chips} aria-label="Parts of the query">
      <li>
        <Select
          aria-label="Source"
          size="xs"
          w={100}
          allowDeselect={false}
          value={built.source}
          data={[...new Set([...SIGNALS, built.source])]}
          onChange={(next) => next !== null && onChange(built.withSource(next))}
        />
      </li>
      {built.chips.map((chip, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its position
        <li key={`${index} ${chip.text}`}>
          <ChipButton chip={chip} onChange={onChange} />
        </li>
      ))}
      <li>
        <Add label="Filter" icon={<IconFilterPlus size={14} stroke={1.6} />}>
          {(close) => (
            <FilterForm
              signal={built.source}
              hints={hints}
              onAdd={(condition) => {
                close();
                onChange(addCondition(text, condition));
              }}
            />
          )}
        </Add>
      </li>
      <li>
        <Add label="Summarize" icon={<IconSum size={14} stroke={1.6} />}>
          {(close) => (
            <SummaryForm
              signal={built.source}
              hints={hints}
              onAdd={(stage) => {
                close();
                onChange(summarise(text, stage));
              }}
            />
          )}
        </Add>
      </li>
    </ul>
  );
}

/** A part of the query: a click edits it, the cross removes it. */
function ChipButton({ chip, onChange }: { chip: Chip; onChange: (query: string) => void }) {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState(chip.text);
  return (
    <span className={classes.chip} data-kind={chip.kind}>
      <Popover opened={open} onChange={setOpen} position="bottom-start" width={420} trapFocus returnFocus>
        <Popover.Target>
          <UnstyledButton
            className={classes.text}
            aria-label={`Edit ${chip.text}`}
            title={chip.text}
            onClick={() => setOpen(!open)}
          >
            {chip.text}
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              setOpen(false);
              if (text.trim() !== chip.text) onChange(chip.edit(text.trim() === '' ? null : text.trim()));
            }}
          >
            <Stack gap="sm">
              <TextInput
                label={chip.kind === 'condition' ? 'Condition' : 'Stage'}
                data-autofocus
                spellCheck={false}
                styles={{ input: { fontFamily: 'var(--f-mono)', fontSize: 12 } }}
                value={text}
                onChange={(event) => setText(event.currentTarget.value)}
              />
              <Group justify="flex-end">
                <Button type="submit">Apply</Button>
              </Group>
            </Stack>
          </form>
        </Popover.Dropdown>
      </Popover>
      <UnstyledButton
        className={classes.remove}
        aria-label={`Remove ${chip.text}`}
        onClick={() => onChange(chip.edit(null))}
      >
        <IconX size={13} stroke={1.8} aria-hidden />
      </UnstyledButton>
    </span>
  );
}

function Add({
  label,
  icon,
  children,
}: {
  label: string;
  icon: ReactNode;
  children: (close: () => void) => ReactNode;
}) {
  const [open, setOpen] = useState(false);
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-start" width={380} trapFocus returnFocus>
      <Popover.Target>
        <Button variant="subtle" size="xs" leftSection={icon} onClick={() => setOpen(!open)}>
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>{children(() => setOpen(false))}</Popover.Dropdown>
    </Popover>
  );
}
