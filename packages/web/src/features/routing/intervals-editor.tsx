import { IconX } from '@tabler/icons-react';
import { RowsFieldset } from '../../alerting/rows-fieldset.tsx';
import { ActionIcon, Autocomplete, TextInput } from '../../ui/mantine.ts';
import { type IntervalDraft, newInterval } from './interval-draft.ts';
import classes from './routing.module.css';

const FIELDS = [
  { name: 'times', label: 'Times', placeholder: '00:00-06:00, 22:00-24:00' },
  { name: 'weekdays', label: 'Weekdays', placeholder: 'monday:friday' },
  { name: 'days_of_month', label: 'Days of the month', placeholder: '1:7, -1' },
  { name: 'months', label: 'Months', placeholder: 'december' },
  { name: 'years', label: 'Years', placeholder: '2026' },
] as const;

const LOCAL_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const ZONES = [...new Set([LOCAL_ZONE, 'UTC', ...Intl.supportedValuesOf('timeZone')])];

/** Recurring times; a new one is in the reader's time zone. */
export function IntervalsEditor({
  legend,
  description,
  value,
  onChange,
  error,
}: {
  legend: string;
  description: string;
  value: readonly IntervalDraft[];
  onChange: (intervals: readonly IntervalDraft[]) => void;
  error?: string | undefined;
}) {
  const change = (uid: string, part: Partial<IntervalDraft>) =>
    onChange(value.map((interval) => (interval.uid === uid ? { ...interval, ...part } : interval)));
  return (
    <RowsFieldset
      legend={legend}
      rows={value.length}
      add="Add interval"
      onAdd={() => onChange([...value, newInterval(LOCAL_ZONE)])}
      error={error}
    >
      <span className="dim">{description}</span>
      {value.map((interval, index) => (
        <div key={interval.uid} className={classes.interval}>
          {FIELDS.map(({ name, label, placeholder }) => (
            <TextInput
              key={name}
              label={label}
              aria-label={`${legend} ${index + 1}: ${label}`}
              placeholder={placeholder}
              value={interval[name]}
              onChange={(event) => change(interval.uid, { [name]: event.currentTarget.value })}
            />
          ))}
          <Autocomplete
            label="Time zone"
            aria-label={`${legend} ${index + 1}: Time zone`}
            placeholder="UTC"
            limit={30}
            data={ZONES}
            value={interval.time_zone}
            onChange={(zone) => change(interval.uid, { time_zone: zone })}
          />
          <ActionIcon
            aria-label={`${legend}: remove ${index + 1}`}
            onClick={() => onChange(value.filter(({ uid }) => uid !== interval.uid))}
          >
            <IconX size={15} stroke={1.6} />
          </ActionIcon>
        </div>
      ))}
    </RowsFieldset>
  );
}
