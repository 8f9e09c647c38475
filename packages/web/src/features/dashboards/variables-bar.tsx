import type { DashboardVariable, VariableValue, VariableValues } from '@fanion/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { MultiSelect, Select, TextInput, Tooltip } from '../../ui/mantine.ts';
import type { TimeRange } from '../../ui/time/time-range.ts';
import classes from './dashboards.module.css';
import { type DashboardPlace, optionsQuery } from './queries.ts';
import { ALL, shownValue } from './variable-search.ts';

type Scalar = string | number | boolean;

/** A control per variable; what is chosen is part of the address. */
export function VariablesBar({
  definitions,
  values,
  range,
  place,
  onChange,
}: {
  definitions: readonly DashboardVariable[];
  values: VariableValues;
  range: TimeRange;
  place: DashboardPlace;
  onChange: (values: VariableValues) => void;
}) {
  const visible = definitions.filter(({ hidden }) => !hidden);
  const options = useQuery({
    ...optionsQuery(place, definitions, values, range),
    enabled: visible.some(({ type }) => type !== 'text'),
    placeholderData: (before) => before,
    staleTime: 30_000,
  });
  if (visible.length === 0) return null;
  const set = (name: string, value: VariableValue | undefined) => {
    const { [name]: _, ...others } = values;
    onChange(value === undefined ? others : { ...others, [name]: value });
  };
  return (
    <fieldset className={classes.variables} aria-label="Variables">
      {visible.map((definition) => {
        const known = options.data?.find(({ name }) => name === definition.name);
        const label = definition.label || definition.name;
        return (
          <Tooltip
            key={definition.name}
            label={known?.error?.message ?? definition.description}
            disabled={!known?.error && !definition.description}
          >
            <div>
              {definition.type === 'text' ? (
                <TextVariable
                  label={label}
                  value={String(shownValue(definition, values)[0] ?? '')}
                  onChange={(text) => set(definition.name, text)}
                />
              ) : (
                <Picker
                  definition={definition}
                  label={label}
                  options={known?.options ?? []}
                  error={known?.error != null}
                  values={values}
                  onChange={(value) => set(definition.name, value)}
                />
              )}
            </div>
          </Tooltip>
        );
      })}
    </fieldset>
  );
}

function Picker({
  definition,
  label,
  options,
  error,
  values,
  onChange,
}: {
  definition: DashboardVariable;
  label: string;
  options: readonly Scalar[];
  error: boolean;
  values: VariableValues;
  onChange: (value: VariableValue | undefined) => void;
}) {
  const shown = shownValue(definition, values);
  // Chosen values stay in the list though the window has none of them.
  const offered = [...new Set([...options, ...shown.filter((value) => value !== ALL)])];
  const scalarOf = (text: string): Scalar => offered.find((value) => String(value) === text) ?? text;
  const withAll = definition.include_all || definition.type === 'project' || definition.type === 'environment';
  const data = [
    ...(withAll ? [{ value: ALL, label: 'All' }] : []),
    ...offered.map((value) => ({ value: String(value), label: String(value) })),
  ];
  const facts = {
    label,
    data,
    error,
    searchable: true,
    nothingFoundMessage: 'No values in this window',
  } as const;
  if (definition.multi)
    return (
      <MultiSelect
        {...facts}
        maw={360}
        miw={160}
        placeholder={shown.length === 0 ? 'Any' : ''}
        value={shown.map(String)}
        onChange={(next) => {
          const isAll = next.at(-1) === ALL;
          const chosen = next.filter((value) => value !== ALL).map(scalarOf);
          onChange(isAll ? ALL : chosen.length === 0 ? [] : chosen);
        }}
        clearable
      />
    );
  return (
    <Select
      {...facts}
      w={190}
      placeholder="Any"
      value={shown[0] === undefined ? null : String(shown[0])}
      onChange={(next) => onChange(next === null ? '' : next === ALL ? ALL : scalarOf(next))}
      clearable={definition.type !== 'interval'}
    />
  );
}

/** Asks when the field is left or Enter is pressed, not with each letter. */
function TextVariable({ label, value, onChange }: { label: string; value: string; onChange: (text: string) => void }) {
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  const commit = () => draft !== value && onChange(draft);
  return (
    <TextInput
      w={190}
      label={label}
      value={draft}
      placeholder="Any"
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
    />
  );
}
