import type { QueryLanguage } from '@fanion/contract';
import { SegmentedControl } from '../../ui/mantine.ts';

/** The language of an address: only PromQL is named. */
export function languageOf(named: string | undefined): QueryLanguage {
  return named === 'promql' ? 'promql' : 'oql';
}

/** In which language the query is written. */
export function LanguagePicker({
  value,
  onChange,
}: {
  value: QueryLanguage;
  onChange: (language: QueryLanguage) => void;
}) {
  return (
    <SegmentedControl
      size="xs"
      aria-label="Language"
      value={value}
      onChange={(next) => onChange(languageOf(next))}
      data={[
        { value: 'oql', label: 'OQL' },
        { value: 'promql', label: 'PromQL' },
      ]}
    />
  );
}
