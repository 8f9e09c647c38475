import { IconChevronDown, IconClock, IconZoomOut } from '@tabler/icons-react';
import { useState } from 'react';
import { formatTimestamp } from '../format/index.ts';
import { zoneName } from '../format/zone.ts';
import { ActionIcon, Button, Group, Popover, Stack, TextInput, Tooltip } from '../mantine.ts';
import { describeRange, PRESETS, parseRangeText, resolveRange, type TimeRange, zoomOut } from './time-range.ts';
import classes from './time-range-picker.module.css';
import { useTimeZone } from './use-time-zone.ts';

/** Selects a relative range by click, or any range by typing: `20m`, `2 days`, `2026-05-01 10:00 to 2026-05-01 11:00`. */
export function TimeRangePicker({ range, onChange }: { range: TimeRange; onChange: (range: TimeRange) => void }) {
  useTimeZone();
  const [open, setOpen] = useState(false);
  const choose = (next: TimeRange) => {
    setOpen(false);
    onChange(next);
  };
  const widen = () => {
    const now = Date.now();
    const resolved = resolveRange(range, now);
    if (resolved) onChange(zoomOut(resolved, now));
  };
  return (
    <Group gap={0} wrap="nowrap">
      <Popover opened={open} onChange={setOpen} position="bottom-end" trapFocus returnFocus width={360}>
        <Popover.Target>
          <Button
            variant="default"
            className={classes.trigger}
            leftSection={<IconClock size={15} stroke={1.6} />}
            rightSection={<IconChevronDown size={14} stroke={1.6} />}
            onClick={() => setOpen((old) => !old)}
            aria-label={`Time range: ${describeRange(range)}`}
          >
            <span className="truncate">{describeRange(range)}</span>
          </Button>
        </Popover.Target>
        <Popover.Dropdown p={0} aria-label="Time range">
          <div className={classes.panel}>
            <ul className={classes.presets} aria-label="Relative ranges">
              {PRESETS.map((from) => {
                const preset = { from, to: 'now' };
                return (
                  <li key={from}>
                    <button
                      type="button"
                      className={classes.preset}
                      aria-current={range.from === from && range.to === 'now'}
                      onClick={() => choose(preset)}
                    >
                      {describeRange(preset)}
                    </button>
                  </li>
                );
              })}
            </ul>
            <RangeForm range={range} onChoose={choose} />
          </div>
        </Popover.Dropdown>
      </Popover>
      <Tooltip label="Double the range">
        <ActionIcon variant="default" className={classes.widen} aria-label="Zoom out" onClick={widen}>
          <IconZoomOut size={15} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

function RangeForm({ range, onChoose }: { range: TimeRange; onChoose: (range: TimeRange) => void }) {
  const resolved = resolveRange(range, Date.now());
  const [from, setFrom] = useState(formatTimestamp(resolved?.from));
  const [to, setTo] = useState(range.to === 'now' ? 'now' : formatTimestamp(resolved?.to));
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const submit = () => {
    const next = parseRangeText(text.trim() === '' ? `${from} to ${to}` : text, Date.now());
    if (next) onChoose(next);
    else setError('Invalid range: try 20m, 2 days, or two dates');
  };
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="sm">
        <TextInput
          label="Type a range"
          placeholder="20m, 2 days, A to B"
          data-autofocus
          value={text}
          error={error}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <TextInput label="From" value={from} onChange={(event) => setFrom(event.currentTarget.value)} />
        <TextInput label="To" value={to} onChange={(event) => setTo(event.currentTarget.value)} />
        <Button type="submit">Apply</Button>
        <div className={classes.zone}>{zoneName()}</div>
      </Stack>
    </form>
  );
}
