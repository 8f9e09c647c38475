import { IconFilterPlus, IconSum, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { FieldHints } from '../../telemetry/field-hints.ts';
import { Button, Group, Popover, Select, Stack, TextInput, UnstyledButton } from '../../ui/mantine.ts';
import { useOneStop } from '../../ui/one-stop.ts';
import { addCondition, type Chip, summarise, takeApart } from './builder.ts';
import { conditionIn, summaryIn } from './chip-rules.ts';
import { FilterForm } from './filter-form.tsx';
import { MetricPicker } from './metric-picker.tsx';
import classes from './query-chips.module.css';
import { SummaryForm } from './summary-form.tsx';

const SIGNALS = ['spans', 'logs', 'traces', 'events'];
/** Stands for a metric, which is chosen in a second step. */
const METRIC = '…';

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
  const list = useOneStop<HTMLUListElement>();
  const built = takeApart(query.trim() === '' ? 'spans' : query);
  if (!built) return null;
  const text = query.trim() === '' ? 'spans' : query;
  return (
    <ul ref={list} className={classes.chips} aria-label="Parts of the query">
      <SourceChip built={built} onChange={onChange} />
      {built.chips.map((chip, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its position
        <li key={`${index} ${chip.text}`}>
          <ChipButton chip={chip} signal={built.signal} hints={hints} onChange={onChange} />
        </li>
      ))}
      <li>
        <Add label="Filter" icon={<IconFilterPlus size={14} stroke={1.6} />}>
          {(close) => (
            <FilterForm
              signal={built.signal}
              hints={hints}
              onDone={(condition) => {
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
              signal={built.signal}
              hints={hints}
              onDone={(stage) => {
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

/** The source of a query. A metric is picked by name. */
function SourceChip({
  built,
  onChange,
}: {
  built: NonNullable<ReturnType<typeof takeApart>>;
  onChange: (query: string) => void;
}) {
  const [picksMetric, setPicksMetric] = useState(false);
  return (
    <>
      <li>
        <Select
          aria-label="Source"
          size="xs"
          w={100}
          value={built.source}
          data={[
            ...[...new Set([...SIGNALS, built.source])].map((source) => ({ value: source, label: source })),
            { value: METRIC, label: built.signal === 'metric' ? 'other metric…' : 'metric…' },
          ]}
          onChange={(next) => {
            setPicksMetric(next === METRIC);
            if (next !== null && next !== METRIC) onChange(built.withSource(next));
          }}
        />
      </li>
      {picksMetric && (
        <li>
          <MetricPicker
            onPick={(metric) => {
              setPicksMetric(false);
              onChange(built.chips.length === 0 ? metric.query : built.withSource(metric.source));
            }}
          />
        </li>
      )}
    </>
  );
}

/** A part of the query: a click edits it, the cross removes it. */
function ChipButton({
  chip,
  signal,
  hints,
  onChange,
}: {
  chip: Chip;
  signal: string;
  hints: FieldHints;
  onChange: (query: string) => void;
}) {
  const [open, setOpen] = useState(false);
  const apply = (text: string) => {
    setOpen(false);
    if (text !== chip.text) onChange(chip.edit(text === '' ? null : text));
  };
  const form = () => {
    const condition = chip.kind === 'condition' ? conditionIn(chip.text) : null;
    if (condition !== null) return <FilterForm signal={signal} hints={hints} initial={condition} onDone={apply} />;
    const summary = chip.kind === 'stage' ? summaryIn(chip.text) : null;
    if (summary !== null) return <SummaryForm signal={signal} hints={hints} initial={summary} onDone={apply} />;
    return <TextForm chip={chip} onDone={apply} />;
  };
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
        <Popover.Dropdown aria-label={`Edit ${chip.text}`}>{open && form()}</Popover.Dropdown>
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

/** The text of a part that no form can show. */
function TextForm({ chip, onDone }: { chip: Chip; onDone: (text: string) => void }) {
  const [text, setText] = useState(chip.text);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onDone(text.trim());
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
      <Popover.Dropdown aria-label={label}>{children(() => setOpen(false))}</Popover.Dropdown>
    </Popover>
  );
}
