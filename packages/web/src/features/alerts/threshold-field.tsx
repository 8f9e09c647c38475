import { useState } from 'react';
import { TextInput } from '../../ui/mantine.ts';
import { fromUnit, inUnit, type ThresholdUnit } from './rule-symptom.ts';

/** The threshold in the unit that people use for it. */
export function ThresholdField({
  value,
  unit,
  error,
  onChange,
}: {
  value: string;
  unit: ThresholdUnit;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  // `1.` and `1.50` are not rewritten while somebody types.
  const [typed, setTyped] = useState({ text: '', value: '' });
  return (
    <TextInput
      label="Threshold"
      placeholder={unit.suffix === '' ? '0.05' : ''}
      inputMode="decimal"
      rightSection={unit.suffix !== '' && <span className="dim">{unit.suffix}</span>}
      value={typed.value === value ? typed.text : inUnit(value, unit)}
      error={error}
      onChange={({ currentTarget: { value: text } }) => {
        const next = fromUnit(text, unit);
        setTyped({ text, value: next });
        onChange(next);
      }}
    />
  );
}
