import { IconX } from '@tabler/icons-react';
import { ActionIcon, Autocomplete, Select } from '../ui/mantine.ts';
import type { KnownLabels } from './known-labels.ts';
import classes from './matchers.module.css';
import { type MatcherDraft, newMatcher, OPERATORS } from './matchers.ts';
import { RowsFieldset } from './rows-fieldset.tsx';

const MEANING = { '=': '= is', '!=': '!= is not', '=~': '=~ matches', '!~': '!~ does not match' } as const;

/** Rows of name, operator and value. The labels of alerts that fire now are offered. */
export function MatcherEditor({
  legend,
  value,
  onChange,
  known,
  error,
}: {
  legend: string;
  value: readonly MatcherDraft[];
  onChange: (matchers: readonly MatcherDraft[]) => void;
  known: KnownLabels;
  error?: string | undefined;
}) {
  const change = (uid: string, part: Partial<MatcherDraft>) =>
    onChange(value.map((matcher) => (matcher.uid === uid ? { ...matcher, ...part } : matcher)));
  return (
    <RowsFieldset
      legend={legend}
      rows={value.length}
      add="Add matcher"
      onAdd={() => onChange([...value, newMatcher()])}
      error={error}
    >
      {value.map(({ uid, ...matcher }, index) => (
        <div key={uid} className={classes.row}>
          <MatcherFields
            label={`${legend}, ${index + 1}`}
            matcher={matcher}
            known={known}
            onChange={(part) => change(uid, part)}
          />
          <ActionIcon
            className={classes.remove}
            aria-label={`${legend}: remove ${matcher.name === '' ? index + 1 : matcher.name}`}
            disabled={value.length === 1}
            onClick={() => onChange(value.filter((other) => other.uid !== uid))}
          >
            <IconX size={15} stroke={1.6} />
          </ActionIcon>
        </div>
      ))}
    </RowsFieldset>
  );
}

function MatcherFields({
  label,
  matcher: { name, op, value },
  known,
  onChange,
}: {
  label: string;
  matcher: Omit<MatcherDraft, 'uid'>;
  known: KnownLabels;
  onChange: (part: Partial<MatcherDraft>) => void;
}) {
  return (
    <>
      <Autocomplete
        aria-label={`${label}: label`}
        placeholder="service.name"
        autoComplete="off"
        spellCheck={false}
        value={name}
        data={[...known.keys()]}
        onChange={(next) => onChange({ name: next })}
      />
      <Select
        aria-label={`${label}: operator`}
        value={op}
        data={OPERATORS.map((value) => ({ value, label: value }))}
        renderOption={({ option }) => MEANING[option.value as keyof typeof MEANING]}
        comboboxProps={{ width: 150, position: 'bottom-start' }}
        onChange={(next) => onChange({ op: OPERATORS.find((one) => one === next) ?? op })}
      />
      <Autocomplete
        className={classes.value}
        aria-label={`${label}: value`}
        placeholder={op.endsWith('~') ? 'a|b, an RE2 pattern' : 'checkout'}
        autoComplete="off"
        spellCheck={false}
        value={value}
        data={[...(known.get(name) ?? [])]}
        onChange={(next) => onChange({ value: next })}
      />
    </>
  );
}
